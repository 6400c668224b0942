// The engine in a thread of its own, so that the page goes on while a check runs.
import url from '@engine/hapax.wasm?url';
import { instantiate, type Ask } from './instance';

export interface Question {
  id: number;
  ask: Ask;
  text: string;
}

const kEvery = 100; // ms between two reports of progress.
let lastReport = 0;

const engine = WebAssembly.compileStreaming(fetch(url)).then((module) =>
  instantiate(module, (progress) => {
    const now = performance.now();
    if (now - lastReport < kEvery) return;
    lastReport = now;
    postMessage({ progress });
  }),
);

onmessage = async ({ data }: MessageEvent<Question>) => {
  try {
    postMessage({ id: data.id, answer: (await engine)(data.ask, data.text) });
  } catch (problem) {
    postMessage({ id: data.id, broken: problem instanceof Error ? problem.message : String(problem) });
  }
};
