// What the keyboard does: everything that the buttons do about the run.
import { messageOf } from './edit';
import { lab } from './lab.svelte';
import type { Picture } from './run';

// The next step, forward or back, at which something of a kind happens; otherwise the end.
export function nextOf(picture: Picture, position: number, by: 1 | -1, kind: 'message' | 'entry'): number {
  const kinds = kind === 'message' ? ['receive', 'lost'] : ['enter', 'leader'];
  for (let at = position + by; at > 0 && at <= picture.rows; at += by) {
    const [from, to] = picture.scene.steps[at - 1].happenings;
    if (picture.scene.happenings.slice(from, to).some((h) => kinds.includes(h.kind))) return at;
  }
  return by > 0 ? picture.rows : 0;
}

const jump = (by: 1 | -1, kind: 'message' | 'entry') => () => lab.picture && lab.go(nextOf(lab.picture, lab.position, by, kind));
function onMessage(act: (message: NonNullable<ReturnType<typeof messageOf>>) => void) {
  return () => {
    const message = lab.picture && lab.position > 0 ? messageOf(lab.picture, lab.position - 1) : undefined;
    if (message && message.fate !== 'lost') act(message);
  };
}
function toFork(by: number) {
  const next = lab.runs[lab.runs.indexOf(lab.run!) + by];
  if (next) lab.select(next);
}
export function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => (lab.hall = !lab.hall));
}

const acts: Record<string, () => void> = {
  ArrowRight: () => lab.go(lab.position + 1),
  ArrowLeft: () => lab.go(lab.position - 1),
  Home: () => lab.go(0),
  End: () => lab.go(Infinity),
  m: jump(1, 'message'),
  M: jump(-1, 'message'),
  e: jump(1, 'entry'),
  E: jump(-1, 'entry'),
  ' ': () => (lab.playing = !lab.playing),
  x: onMessage(lab.lose),
  '2': onMessage(lab.duplicate),
  z: onMessage(lab.delay),
  '[': () => toFork(-1),
  ']': () => toFork(1),
  f: fullScreen,
  n: () => lab.goGuide(1),
  p: () => lab.goGuide(-1),
  a: () => lab.choose(0),
  b: () => lab.choose(1),
  c: () => lab.choose(2),
  d: () => lab.choose(3),
};
export const kKeys = [
  ['← →', 'step'],
  ['Home End', 'first, last'],
  ['m M', 'next, last message'],
  ['e E', 'next, last entry'],
  ['Space', 'play'],
  ['x', 'lose the message of this step'],
  ['2', 'double it'],
  ['z', 'delay it'],
  ['[ ]', 'forks'],
  ['n p', 'on and back in a guide'],
  ['a … d', 'answer'],
  ['f', 'full screen'],
];

// Whether the key means something here.
export function actOn(key: string): boolean {
  if (lab.view !== 'run' || !lab.run || !Object.hasOwn(acts, key)) return false;
  acts[key]();
  return true;
}
