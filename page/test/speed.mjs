// How fast the engine is beside the native laboratory:  node page/test/speed.mjs HAPAX-LAB
// Medians of five rounds, in turn, so that a busy machine slows both.
import { execFileSync } from 'node:child_process';
import { loadEngine } from './engine.mjs';

const engine = await loadEngine();
const native = (...words) => JSON.parse(execFileSync(process.argv[2], [...words, '--json'], { encoding: 'utf8' }));
function wasm(ask, request) {
  const began = performance.now();
  const answer = JSON.parse(engine(ask, JSON.stringify(request)).text);
  return { answer, seconds: (performance.now() - began) / 1000 };
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const rounds = [];
for (let i = 0; i < 5; ++i) {
  const checked = native('check', 'ricart-agrawala', '-n', '4');
  const check = wasm('check', { algorithm: 'ricart-agrawala', n: 4 });
  if (check.answer.states !== checked.states) throw new Error('the counts differ');
  const simulated = native('sim', 'ricart-agrawala', '-n', '60', '--load', 'high', '--requests', '40000');
  const run = wasm('measure', { algorithm: 'ricart-agrawala', n: 60, load: 'high', requests: 40_000 });
  if (run.answer.events !== simulated.events) throw new Error('the runs differ');
  rounds.push({
    states: [check.answer.states / check.seconds, checked.states / checked.seconds],
    events: [run.answer.events / run.seconds, simulated.events_per_second],
  });
}
for (const [what, about] of [['states', 'check ricart-agrawala -n 4'], ['events', 'sim ricart-agrawala -n 60 --load high']]) {
  const [here, there] = [0, 1].map((i) => median(rounds.map((round) => round[what][i])) / 1e6);
  console.log(`${about}: ${here.toFixed(1)} of ${there.toFixed(1)} million ${what} a second, ${(here / there).toFixed(2)} of native`);
}
