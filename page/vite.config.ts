import { svelte } from '@sveltejs/vite-plugin-svelte';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  base: './', // So that the built page works in any folder of any host.
  plugins: [svelte()],
  resolve: { alias: { '@engine': here('../build/page/engine') } },
  server: { fs: { allow: [here('..')] } },
  worker: { format: 'es' },
  build: {
    outDir: here('../build/page/site'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // The page's policy takes nothing inline.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
