// The engine against the native laboratory: all our traces as JSON and SVG byte for byte, checks in every figure, runs of the
// simulator step by step. HAPAX_LAB names the binary.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { loadEngine, root } from './engine.mjs';

const engine = await loadEngine();
const folders = ['docs/traces', ...readdirSync(join(root, 'src')).map((room) => `src/${room}/testdata`)];
const traces = folders.flatMap((folder) => {
  try {
    return readdirSync(join(root, folder)).filter((name) => name.endsWith('.trace')).map((name) => join(root, folder, name));
  } catch {
    return [];
  }
});

// Its standard output, whatever its exit status.
function native(...words) {
  try {
    return execFileSync(process.env.HAPAX_LAB, words, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (failed) {
    assert.equal(failed.status, 1, failed.stderr);
    return failed.stdout;
  }
}
function wasm(ask, text) {
  const answer = engine(ask, text);
  assert.ok(answer.ok, answer.text);
  return answer.text;
}

test(`${traces.length} traces as JSON, as SVG and replayed`, () => {
  assert.ok(traces.length >= 45);
  for (const file of traces) {
    const text = readFileSync(file, 'utf8');
    assert.equal(wasm('trace_json', text), native('trace', file, '--json'), file);
    assert.equal(wasm('trace_svg', text), native('trace', file, '--svg'), file);
    assert.equal(wasm('trace_text', text), text, file);
  }
});

test('what may be asked is listed alike', () => {
  assert.equal(wasm('algorithms', '') + '\n', native('algorithms', '--json'));
});

const checks = [
  [{ algorithm: 'ricart-agrawala', n: 3 }],
  [{ algorithm: 'maekawa-basic', n: 3 }],
  [{ algorithm: 'maekawa', n: 3, entries: 2 }, '--entries', '2'],
  [{ algorithm: 'lamport', n: 3, unordered: true }, '--unordered'],
  [{ algorithm: 'ricart-agrawala', n: 2, losses: 1, expect_progress: true }, '--faults', 'loss', '--expect-progress'],
  [{ algorithm: 'central', n: 3, forever: true }, '--forever'],
  [{ algorithm: 'suzuki-kasami', n: 3, duplicates: 1 }, '--faults', 'dup'],
  [{ algorithm: 'tree-quorum', n: 3 }],
  [{ algorithm: 'semaphore-ra', n: 3, units: 2 }, '--units', '2'],
  [{ algorithm: 'bully', n: 3, crashes: 1 }, '--faults', 'crash'],
  [{ algorithm: 'dijkstra', n: 2, forever: true }, '--forever'],
];
for (const [request, ...words] of checks) {
  test(`check ${request.algorithm} -n ${request.n} ${words.join(' ')}`, () => {
    const told = JSON.parse(native('check', request.algorithm, '-n', String(request.n), ...words, '--json'));
    const here = JSON.parse(wasm('check', JSON.stringify(request)));
    for (const key of ['seconds', 'states_per_second']) delete told[key], delete here[key];
    assert.deepEqual(here, told);
  });
}

test('all algorithms are compared alike', () => {
  assert.deepEqual(JSON.parse(wasm('compare', '{"n":4}')), JSON.parse(native('compare', '-n', '4', '--json')));
});

test('simulated runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hapax-page-'));
  try {
    for (const [algorithm, seed] of [['ricart-agrawala', 1], ['maekawa', 2], ['raymond', 3], ['naimi-trehel', 4]]) {
      const file = join(folder, 'run.trace');
      const words = ['--requests', '6', '--load', 'high', '--latency', 'exp:1ms', '--seed', String(seed)];
      native('sim', algorithm, '-n', '5', ...words, '--trace', file);
      const request = { algorithm, n: 5, requests: 6, load: 'high', latency: 'exp:1ms', seed };
      assert.equal(wasm('simulate', JSON.stringify(request)), readFileSync(file, 'utf8'), algorithm);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('what makes no sense is refused with a sentence, and the engine goes on', () => {
  for (const [ask, text] of [
    ['trace_svg', 'nodes nobody P1 P2\n----\n'],
    ['steps', '<script>alert(1)</script>'],
    ['steps', 'x'.repeat(1 << 20)],
    ['check', '{"algorithm":"central","n":99}'],
    ['check', 'not JSON'],
    ['simulate', '{"algorithm":"raymond","latency":"soon"}'],
  ]) {
    const answer = engine(ask, text);
    assert.ok(!answer.ok && answer.text.length > 10, `${ask} ${text.slice(0, 40)}: ${answer.text.slice(0, 80)}`);
  }
  wasm('algorithms', '');
});
