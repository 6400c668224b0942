// How fast the engine is beside the native laboratory:  node page/test/speed.mjs HAPAX-LAB
// In CPU time, medians of five rounds in turn: others may be busy on this machine.
import { spawnSync } from 'node:child_process';
import { loadEngine } from './engine.mjs';

const engine = await loadEngine();
function native(...words) {
  const script = 'TIMEFORMAT="%U %S"; time "$0" "$@" --json';
  const { stdout, stderr } = spawnSync('bash', ['-c', script, process.argv[2], ...words], { encoding: 'utf8' });
  const [user, system] = stderr.trim().split(/\s+/).slice(-2).map(Number);
  return { answer: JSON.parse(stdout), seconds: user + system };
}
function wasm(ask, request) {
  const before = process.cpuUsage();
  const answer = JSON.parse(engine(ask, JSON.stringify(request)).text);
  const { user, system } = process.cpuUsage(before);
  return { answer, seconds: (user + system) / 1e6 };
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

for (const [words, ask, request, what] of [
  ['check ricart-agrawala -n 4', 'check', { algorithm: 'ricart-agrawala', n: 4 }, 'states'],
  ['check maekawa -n 3 --entries 3', 'check', { algorithm: 'maekawa', n: 3, entries: 3 }, 'states'],
  ['sim ricart-agrawala -n 60 --load high --requests 40000', 'measure', { algorithm: 'ricart-agrawala', n: 60, load: 'high', requests: 40_000 }, 'events'],
  ['sim raymond -n 60 --load high --requests 40000', 'measure', { algorithm: 'raymond', n: 60, load: 'high', requests: 40_000 }, 'events'],
]) {
  const rounds = Array.from({ length: 5 }, () => [wasm(ask, request), native(...words.split(' '))]);
  if (rounds.some(([here, there]) => here.answer[what] !== there.answer[what])) throw new Error(`${words}: the ${what} differ`);
  const [here, there] = [0, 1].map((i) => median(rounds.map((round) => round[i].answer[what] / round[i].seconds)) / 1e6);
  console.log(`${words}: ${here.toFixed(2)} of ${there.toFixed(2)} million ${what} a second, ${(here / there).toFixed(2)} of native`);
}
