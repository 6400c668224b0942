// Guided examples: docs/guides/*.md, which people read as they are. Each is a trace, and some steps of text; a step says at which
// point of the trace it is, in words that the trace says there, and may have a question with answers to choose from.
import { examples, type Example } from './examples';
import type { Picture } from './run';

const files = import.meta.glob<string>(['../../docs/guides/*.md'], { query: '?raw', import: 'default', eager: true });

export interface Answer {
  text: string;
  why: string;
  isRight: boolean;
}
export interface GuideStep {
  title: string;
  at: string; // What the trace says there, or: the beginning, the end.
  text: string[]; // Paragraphs.
  question?: string;
  answers: Answer[];
}
export interface Guide {
  name: string;
  title: string;
  lecture: string; // The heading of docs/lectures.md, as an anchor.
  example: Example;
  steps: GuideStep[];
}
export interface Point {
  scene: number;
  position: number;
}

function stepOf(part: string): GuideStep {
  const [title, ...lines] = part.split('\n');
  const step: GuideStep = { title: title.trim(), at: 'the beginning', text: [], answers: [] };
  for (const block of lines.join('\n').split(/\n\s*\n/)) {
    const words = block.trim().replace(/\s*\n(?!- )/g, ' ');
    if (words.startsWith('Step: ')) step.at = words.slice(6).replaceAll('`', '');
    else if (/^\*\*.*\*\*$/.test(words)) step.question = words.slice(2, -2);
    else if (words.startsWith('- [')) step.answers = words.split('\n').map(answerOf);
    else if (words !== '') step.text.push(words);
  }
  return step;
}
function answerOf(line: string): Answer {
  const said = line.slice(6);
  const end = said.indexOf(': ');
  const why = said.slice(end + 2);
  const sentence = /^[a-z]+\d/.test(why) ? why : why[0].toUpperCase() + why.slice(1); // p1 is a name.
  return { text: said.slice(0, end), why: sentence, isRight: line.startsWith('- [x]') };
}
function guideOf([file, text]: [string, string]): Guide {
  const [head, ...parts] = text.split(/^## /m);
  const trace = /\/([\w-]+)\.trace\)/.exec(head)![1];
  return {
    name: file.replace(/^.*\//, '').replace(/\.md$/, ''),
    title: /^# (.*)$/m.exec(head)![1],
    lecture: /lectures\.md#([\w-]+)/.exec(head)![1],
    example: examples.find((one) => one.name === trace)!,
    steps: parts.map(stepOf),
  };
}

// From the first thing that a lecture shows to the last.
const order = ['bank', 'central-denied', 'token-ring-round', 'six-processes', 'request-5-and-3', 't10-and-t15', 'lamport-s1-s2', 'lamport-overtaken', 'bakery-tickets', 'maekawa-deadlock-3', 'maekawa-deadlock-4', 'maekawa-free-3', 'token-regenerated', 'token-two-holders', 'late-writer', 'bully-crashed-leader', 'bully-crash-during', 'bully-partition', 'ring-crashed-leader', 'ring-crash-during'];
const placeOf = (guide: Guide) => (order.includes(guide.name) ? order.indexOf(guide.name) : order.length);
export const guides: Guide[] = Object.entries(files).map(guideOf).sort((a, b) => placeOf(a) - placeOf(b));

// Where each step of a guide is: each is searched from where the one before it was found.
export function pointsOf(guide: Guide, pictures: Picture[]): Point[] {
  let from: Point = { scene: 0, position: 0 };
  return guide.steps.map(({ at }) => {
    if (at === 'the end') from = { scene: pictures.length - 1, position: pictures.at(-1)!.rows };
    else if (at !== 'the beginning') from = find(pictures, at, from) ?? from;
    return from;
  });
}
function find(pictures: Picture[], words: string, from: Point): Point | undefined {
  for (let scene = from.scene; scene < pictures.length; ++scene) {
    const { steps } = pictures[scene].scene;
    const first = scene === from.scene ? Math.max(0, from.position - 1) : 0;
    const row = steps.findIndex((step, i) => i >= first && step.lines.some((line) => line.includes(words)));
    if (row >= 0) return { scene, position: row + 1 };
  }
  return undefined;
}
