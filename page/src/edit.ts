// A change of a run: the script of it with something else in one place. What follows is kept, as far as it still can
// happen; messages are named by their place among all that were ever on their link, so that they stay the same ones.
import { isUnderWay, type Message, type Picture, type Scene } from './run';

export interface Line {
  command: string;
  comments: string[];
}

const verbsOnLinks = ['deliver', 'drop', 'dup'];
export const linkOf = (scene: Scene, m: Message) => `${scene.nodes[m.from]}->${scene.nodes[m.to]}`;
const onMessage = (verb: string, scene: Scene, m: Message) => `${verb} ${linkOf(scene, m)} sent=${m.nth}`;

// Messages by their ids, found once for a picture: a long run has a hundred thousand.
const ids = new WeakMap<Picture, Map<number, Message>>();
function byId(picture: Picture): Map<number, Message> {
  let known = ids.get(picture);
  if (!known) ids.set(picture, (known = new Map(picture.messages.map((m) => [m.id, m]))));
  return known;
}

// The message that a step delivers, loses or doubles.
export function messageOf(picture: Picture, row: number): Message | undefined {
  const step = picture.scene.steps[row];
  const h = picture.scene.happenings.slice(...step.happenings).find((one) => ['receive', 'lost', 'copied'].includes(one.kind));
  return h && byId(picture).get(h.original ?? h.message ?? 0);
}

function linesOf(picture: Picture): Line[] {
  return picture.scene.steps.map(({ command, comments }, row) => {
    const verb = command.trim().split(/\s+/)[0];
    const message = verbsOnLinks.includes(verb) ? messageOf(picture, row) : undefined;
    return { command: message ? onMessage(verb, picture.scene, message) : command, comments };
  });
}
const line = (command: string): Line => ({ command, comments: [] });

// The message gets lost in the step in which it would have arrived.
export function lose(picture: Picture, m: Message): Line[] {
  const lines = linesOf(picture);
  const dropped = onMessage('drop', picture.scene, m);
  if (m.came === undefined) return [...lines, line(dropped)];
  lines[m.came] = { ...lines[m.came], command: dropped };
  return lines;
}

// It arrives after everything else. On a FIFO link those behind it have to wait for it.
export function delay(picture: Picture, m: Message, fifo: boolean): Line[] {
  const lines = linesOf(picture);
  if (m.came === undefined) return lines;
  const waits = (other: Message | undefined) =>
    other !== undefined && (other === m || (fifo && other.from === m.from && other.to === m.to && other.nth > m.nth));
  const isLate = lines.map((one, row) => row >= m.came! && one.command.startsWith('deliver ') && waits(messageOf(picture, row)));
  return [...lines.filter((_, row) => !isLate[row]), ...lines.filter((_, row) => isLate[row])];
}

// A member does nothing from here on, and nothing comes to it, until all others have done what they would have done.
export function pause(picture: Picture, node: number, position: number): Line[] {
  const lines = linesOf(picture);
  const name = picture.scene.nodes[node];
  const isIts = lines.map(({ command }, row) => {
    const [verb, whom] = command.trim().split(/\s+/);
    return row >= position && (verb === 'deliver' ? whom.endsWith(`->${name}`) : whom === name && verb !== 'crash' && verb !== 'partition');
  });
  return [...lines.filter((_, row) => !isIts[row]), ...lines.filter((_, row) => isIts[row])];
}

// Whether nothing is before it on its link. REQUIRES: it is under way at `position`.
export const isNext = (picture: Picture, m: Message, position: number) =>
  !picture.messages.some((other) => other.from === m.from && other.to === m.to && other.nth < m.nth && isUnderWay(other, position));

// It arrives as the next step. REQUIRES: it is under way at `position`.
export function deliverNow(picture: Picture, m: Message, position: number): Line[] {
  const lines = linesOf(picture);
  if (m.came !== undefined) lines.splice(m.came, 1);
  return lines.toSpliced(position, 0, line(onMessage('deliver', picture.scene, m)));
}

// It arrives twice, the copy right after it. The copy takes a place on the link, so those of later messages move.
export function duplicate(picture: Picture, m: Message): Line[] {
  const { scene } = picture;
  const at = m.came ?? picture.rows;
  const isBefore = (other: Message) => other.from === m.from && other.to === m.to && (other.copied ?? other.sent) < at;
  const nth = picture.messages.filter(isBefore).length + 1;
  const moved = linesOf(picture).map((one, row) => {
    const match = / sent=(\d+)$/.exec(one.command);
    if (row < at || !match || Number(match[1]) < nth || !one.command.includes(` ${linkOf(scene, m)} `)) return one;
    return { ...one, command: one.command.replace(/\d+$/, String(Number(match[1]) + 1)) };
  });
  moved.splice(at, 0, line(onMessage('dup', scene, m)));
  if (m.came === undefined) return moved;
  return moved.toSpliced(at + 2, 0, line(onMessage('deliver', scene, { ...m, nth })));
}

// Something happens after so many steps: request P1, crash P2, …
export const insert = (picture: Picture, command: string, position: number): Line[] =>
  linesOf(picture).toSpliced(position, 0, line(command));

// Nothing happens after so many steps.
export const cut = (picture: Picture, position: number): Line[] => linesOf(picture).slice(0, position);

export const underWayAt = (picture: Picture, position: number) => picture.messages.filter((m) => isUnderWay(m, position));

// The text of all scenes, one of them changed.
export function scriptOf(scenes: Scene[], changed?: { scene: number; lines: Line[] }): string {
  const block = (comments: string[], command: string) =>
    [...comments.filter((comment) => comment.startsWith('#')), command, '----', ''].join('\n');
  return scenes
    .flatMap((scene, i) => [
      block(scene.comments, scene.begin),
      ...(changed?.scene === i ? changed.lines : scene.steps).map((step) => block(step.comments, step.command)),
    ])
    .join('\n');
}
