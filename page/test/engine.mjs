// The engine for tests in node: page/src/instance.ts on the module that scripts/page has built.
import { transformSync } from 'esbuild';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export async function loadEngine() {
  const { code } = transformSync(readFileSync(`${root}/page/src/instance.ts`, 'utf8'), { loader: 'ts' });
  const { instantiate } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return instantiate(await WebAssembly.compile(readFileSync(`${root}/build/page/engine/hapax.wasm`)));
}
