// A run as the engine tells it (src/page/steps.h), and what is to be seen in it: messages, bars, marks, who caused what.
// Rows are the steps of the run, from 0; what was so before the first step has row -1.

export interface Happening {
  step: number;
  kind: string;
  node?: string;
  peer?: string;
  message?: number;
  original?: number;
  refused?: boolean;
  fence?: string;
  clock?: number;
  text?: string;
}
export interface Step {
  command: string;
  comments: string[];
  lines: string[];
  error?: string;
  happenings: [number, number];
  members: [number, string][]; // Those that it has changed.
}
export interface Scene {
  algorithm: string;
  nodes: string[];
  rests: boolean;
  theory: { messages: number; formula: string } | null;
  begin: string;
  comments: string[];
  closing?: string[]; // Comments after the last step.
  members: string[];
  steps: Step[];
  happenings: Happening[];
}

export interface Message {
  id: number;
  from: number;
  to: number;
  text: string;
  sent: number; // Row; of a copy, of the original's sending.
  came?: number;
  fate: 'arrives' | 'lost' | 'under way';
  copied?: number; // Row in which it was copied from another.
  nth: number; // Of all that were ever put on its link, from 1.
}
export interface Bar {
  kind: 'waiting' | 'inside' | 'leading';
  node: number;
  first: number;
  last?: number; // Open, if there is none.
  label: string;
  alarm?: number; // From which row on it is wrong that it is there.
}
export interface Mark {
  row: number;
  node: number;
  kind: 'step' | 'told' | 'deferred' | 'crash' | 'storage' | 'refused' | 'rejected';
  label: string;
  clock?: number;
  reasons: string[];
}
export interface Picture {
  scene: Scene;
  rows: number;
  messages: Message[];
  bars: Bar[];
  marks: Mark[];
  dividers: { row: number; text: string }[];
  crashed: (number | undefined)[]; // By node: in which row.
}

// REQUEST(clock=5) as a diagram has room for: REQUEST(5).
export const shortMessage = (text: string) => text.replace(/\b[a-z_]+=/g, '');
export const kindOf = (text: string) => text.split('(')[0];

const fenceValue = (fence: string) => fence.split('.').map(BigInt);
function isAbove(fence: string, other: string): boolean {
  const [a, b] = [fenceValue(fence), fenceValue(other)];
  return a[0] !== b[0] ? a[0] > b[0] : a[1] > b[1];
}

class Reader {
  private nodes: Map<string, number>;
  private byId = new Map<number, Message>();
  private onLink = new Map<string, number>();
  private open = new Map<number, Bar>();
  private clocks: (number | undefined)[] = [];
  private highest = '0.0';
  picture: Picture;

  constructor(scene: Scene) {
    this.nodes = new Map(scene.nodes.map((name, i) => [name, i]));
    this.picture = {
      scene,
      rows: scene.steps.length,
      messages: [],
      bars: [],
      marks: [],
      dividers: [],
      crashed: scene.nodes.map(() => undefined),
    };
    const first = scene.steps[0]?.happenings[0] ?? scene.happenings.length;
    this.read(-1, scene.happenings.slice(0, first));
    scene.steps.forEach((step, row) => this.read(row, scene.happenings.slice(...step.happenings)));
    if (wrongAt(this.picture, this.picture.rows).includes('for ever')) {
      for (const bar of this.open.values()) if (bar.kind === 'waiting') bar.label = 'waits for ever';
    }
  }

  private node(name: string | undefined): number {
    return this.nodes.get(name ?? '') ?? 0;
  }

  private read(row: number, happenings: Happening[]) {
    for (const h of happenings) this.add(row, h);
    // One command may be several steps, each of one node.
    const steps = new Map<number, Happening[]>();
    for (const h of happenings) steps.set(h.step, [...(steps.get(h.step) ?? []), h]);
    for (const step of steps.values()) this.mark(row, step);
  }

  private add(row: number, h: Happening) {
    const node = this.node(h.node);
    const peer = this.node(h.peer);
    const message = h.message === undefined ? undefined : this.byId.get(h.message);
    switch (h.kind) {
      case 'send':
        return this.put({ id: h.message!, from: node, to: peer, text: h.text ?? '', sent: row, fate: 'under way', nth: 0 });
      case 'copied': {
        const original = this.byId.get(h.original!)!;
        return this.put({ ...original, id: h.message!, came: undefined, fate: 'under way', copied: row });
      }
      case 'receive':
      case 'lost':
        if (message) [message.came, message.fate] = [row, h.kind === 'lost' ? 'lost' : 'arrives'];
        return;
      case 'request':
        return this.begin('waiting', node, row, '');
      case 'enter': {
        const isStale = h.fence !== undefined && !isAbove(h.fence, this.highest);
        if (h.fence && !isStale) this.highest = h.fence;
        this.end(node, row);
        return this.begin('inside', node, row, h.fence ? `fence ${h.fence}` : '', isStale ? row : undefined);
      }
      case 'leave':
        return this.end(node, row);
      case 'leader':
        this.end(node, row);
        if (h.peer === h.node) this.begin('leading', node, row, 'leads');
        return;
      case 'violation':
        for (const i of [node, peer]) {
          const bar = this.open.get(i);
          if (bar) bar.alarm ??= row;
        }
        return;
      case 'crash':
        this.picture.crashed[node] = row;
        return this.end(node, row);
      case 'network':
        this.picture.dividers.push({ row, text: h.text ?? '' });
        return;
      case 'storage':
        if (!h.node) this.picture.dividers.push({ row, text: h.text ?? '' });
    }
  }

  private put(message: Message) {
    const link = `${message.from}>${message.to}`;
    message.nth = (this.onLink.get(link) ?? 0) + 1;
    this.onLink.set(link, message.nth);
    this.byId.set(message.id, message);
    this.picture.messages.push(message);
  }
  private begin(kind: Bar['kind'], node: number, first: number, label: string, alarm?: number) {
    if (this.open.get(node)?.kind === kind && kind !== 'waiting') return; // A further unit of a semaphore.
    this.end(node, first);
    const bar: Bar = { kind, node, first, label, alarm };
    this.open.set(node, bar);
    this.picture.bars.push(bar);
  }
  private end(node: number, row: number) {
    const bar = this.open.get(node);
    if (bar) bar.last = row;
    this.open.delete(node);
  }

  private mark(row: number, step: Happening[]) {
    if (step[0].node === undefined || step[0].kind === 'lost' || step[0].kind === 'copied') return;
    const node = this.node(step[0].node);
    const mark: Mark = { row, node, kind: 'step', label: '', reasons: [] };
    for (const h of step) {
      if (h.kind === 'note' && h.text) mark.reasons.push(h.text);
      if (h.kind === 'told' && h.text !== 'start') [mark.kind, mark.label] = ['told', h.text ?? ''];
      const answers = step.some((other) => other.kind === 'send' && other.peer === h.peer);
      if (h.kind === 'defer' && !answers) mark.kind = 'deferred';
      if (h.kind === 'reject') [mark.kind, mark.label] = ['rejected', 'refuses'];
      if (h.kind === 'crash') mark.kind = 'crash';
      if (h.kind === 'storage') {
        mark.kind = h.refused ? 'refused' : 'storage';
        mark.label = h.refused
          ? h.text?.includes(' write ')
            ? 'write refused'
            : 'read refused'
          : (h.text ?? '').replace(`${h.node} `, '').replace(/ with fence.*/, '');
      }
      if (h.kind === 'violation' || h.kind === 'reject' || h.kind === 'storage') mark.reasons.push(h.text ?? '');
      if (h.clock !== undefined && h.clock !== this.clocks[node]) mark.clock = this.clocks[node] = h.clock;
    }
    this.picture.marks.push(mark);
  }
}

export const understand = (scene: Scene): Picture => new Reader(scene).picture;

// --- at a point of the run: after so many steps ---

export const isUnderWay = (m: Message, position: number) =>
  (m.copied ?? m.sent) < position && (m.came === undefined || m.came >= position);

// Whether it is wrong by then that somebody is there.
export const isAlarm = (bar: { alarm?: number }, position: number) => bar.alarm !== undefined && bar.alarm < position;

export const barAt = (picture: Picture, node: number, position: number) =>
  picture.bars.findLast((bar) => bar.node === node && bar.first < position && (bar.last === undefined || bar.last >= position));

export const hasCrashed = (picture: Picture, node: number, position: number) => (picture.crashed[node] ?? Infinity) < position;

export type Phase = 'idle' | 'waiting' | 'inside' | 'leading' | 'crashed';
export const phaseAt = (picture: Picture, node: number, position: number): Phase =>
  hasCrashed(picture, node, position) ? 'crashed' : (barAt(picture, node, position)?.kind ?? 'idle');

export function membersAt(scene: Scene, position: number): string[] {
  const found: (string | undefined)[] = scene.members.map(() => undefined);
  let missing = found.length;
  for (let row = position - 1; row >= 0 && missing > 0; --row) {
    for (const [i, words] of scene.steps[row].members) {
      if (found[i] === undefined) --missing;
      found[i] ??= words;
    }
  }
  return found.map((words, i) => words ?? scene.members[i]);
}

// A member's state in few words: what is empty, and the phase, which is shown beside it, are left out.
// So are what has no meaning now: for whom one voted that has not, a bid that there is not.
export const stateWords = (member: string) =>
  (member.replace(/ bid=-| bid=BID\(([^)]*)\)/, ' $1').match(/[a-z_]+=(?:\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|\S*)|\S+/g) ?? [])
    .filter((word) => !/^phase=|=(\{\}|\[\]|\(\)|)$/.test(word))
    .filter((word) => !member.includes(' voted=false') || !/^(candidate|candidate_clock|voted|inquired)=/.test(word))
    .map((word) => word.replace('=', ' ').replace(/^([a-z_]+) /, (_, key: string) => `${key.replaceAll('_', ' ')} `))
    .join(member.includes('=') ? ' · ' : ' ');

// What has gone wrong by then, in the words of the command line; empty if nothing has.
export function wrongAt(picture: Picture, position: number): string {
  const { scene } = picture;
  const end = position === 0 ? 0 : scene.steps[position - 1].happenings[1];
  const violation = scene.happenings.slice(0, end).find((h) => h.kind === 'violation');
  if (violation) return `${violation.node}: ${violation.text}`;
  if (position < picture.rows) return '';
  const phases = scene.nodes.map((_, i) => phaseAt(picture, i, position));
  const waiting = scene.nodes.filter((_, i) => phases[i] === 'waiting');
  const goesOn =
    phases.includes('inside') ||
    picture.messages.some((m) => isUnderWay(m, position) && !hasCrashed(picture, m.to, position));
  if (waiting.length === 0 || goesOn) return '';
  return `${waiting.join(', ')} ${waiting.length === 1 ? 'waits' : 'wait'} for ever: no message is under way and nobody is inside`;
}

export function countsAt(picture: Picture, position: number) {
  return {
    messages: picture.messages.filter((m) => m.copied === undefined && m.sent < position).length,
    entries: picture.bars.filter((bar) => bar.kind === 'inside' && bar.first >= 0 && bar.first < position).length,
  };
}

// --- who caused what: events are rows of nodes ---

export interface Cone {
  events: Set<string>;
  messages: Set<number>;
}
export const eventKey = (row: number, node: number) => `${row}/${node}`;

// Who comes before and after whom, found once for a picture.
interface Order {
  rows: number[][]; // By node: the rows in which it does something.
  sent: Map<string, Message[]>;
  came: Map<string, Message[]>;
}
const orders = new WeakMap<Picture, Order>();
function orderOf(picture: Picture): Order {
  const known = orders.get(picture);
  if (known) return known;
  const order: Order = { rows: picture.scene.nodes.map(() => []), sent: new Map(), came: new Map() };
  for (const mark of picture.marks) order.rows[mark.node].push(mark.row);
  const add = (to: Map<string, Message[]>, key: string, m: Message) => {
    const known = to.get(key);
    if (known) known.push(m);
    else to.set(key, [m]);
  };
  for (const m of picture.messages) {
    if (m.fate !== 'arrives') continue;
    add(order.sent, eventKey(m.sent, m.from), m);
    add(order.came, eventKey(m.came!, m.to), m);
  }
  orders.set(picture, order);
  return order;
}

// Where the first that is not below `least` stands. REQUIRES: they are in order.
function firstAfter<T>(sorted: T[], least: number, of: (one: T) => number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(sorted[middle]) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

const kMostInCone = 5000; // Of events: more cannot be told apart on a screen.

// The event itself and all that it follows from, or, forward, all that follows from it; the nearest first.
export function coneOf(picture: Picture, row: number, node: number, forward: boolean): Cone {
  const { rows, sent, came } = orderOf(picture);
  const cone: Cone = { events: new Set(), messages: new Set() };
  const todo: [number, number][] = [[row, node]];
  for (let i = 0; i < todo.length && cone.events.size < kMostInCone; ++i) {
    const [r, n] = todo[i];
    const key = eventKey(r, n);
    if (cone.events.has(key)) continue;
    cone.events.add(key);
    const own = rows[n][firstAfter(rows[n], forward ? r + 1 : r, Number) - (forward ? 0 : 1)];
    if (own !== undefined) todo.push([own, n]);
    for (const m of (forward ? sent : came).get(key) ?? []) {
      cone.messages.add(m.id);
      todo.push(forward ? [m.came!, m.to] : [m.sent, m.from]);
    }
  }
  return cone;
}

// --- what is told of something that is pointed at ---

export function wordsOfMessage(picture: Picture, m: Message): string[] {
  const { nodes } = picture.scene;
  const why = marksIn(picture, m.sent).find((mark) => mark.node === m.from)?.reasons ?? [];
  const fate = m.fate === 'under way' ? 'still under way at the end' : `${m.fate === 'lost' ? 'lost' : 'arrives'} in step ${m.came! + 1}`;
  return [`${nodes[m.from]} → ${nodes[m.to]}: ${m.text}`, ...why, fate];
}
export function wordsOfEvent(picture: Picture, mark: Mark): string[] {
  const { command, lines } = picture.scene.steps[mark.row] ?? { command: 'before', lines: [] };
  return [`Step ${mark.row + 1}: ${command}`, ...(mark.reasons.length > 0 ? mark.reasons : lines)];
}
// What it follows from and what follows from it.
export function coneAround(picture: Picture, mark: Mark): Cone {
  const [past, future] = [false, true].map((forward) => coneOf(picture, mark.row, mark.node, forward));
  return { events: new Set([...past.events, ...future.events]), messages: new Set([...past.messages, ...future.messages]) };
}
export const coneOfMessage = (m: Message): Cone => ({
  events: new Set([eventKey(m.sent, m.from), eventKey(m.came ?? -1, m.to)]),
  messages: new Set([m.id]),
});

// Marks are in the order of their rows.
function marksIn(picture: Picture, row: number): Mark[] {
  const found: Mark[] = [];
  for (let i = firstAfter(picture.marks, row, (mark) => mark.row); picture.marks[i]?.row === row; ++i) found.push(picture.marks[i]);
  return found;
}
