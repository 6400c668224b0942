// A part of a long run on a canvas: only what is in sight is looked at and drawn, with the conventions of sheet.ts.
import { eventKey, isAlarm, kindOf, shortMessage, type Cone, type Bar, type Mark, type Message, type Picture } from './run';

export const kRow = 22;
const kGutter = 56; // For the numbers of the steps.
const kBucket = 64; // Rows that are looked up together.
const kAbove = 2; // Rows, for the names.

export interface Colours {
  [name: string]: string;
}
export interface Window {
  width: number;
  height: number;
  top: number; // Scrolled by so many pixels.
  zoom: number;
  position: number; // Steps that are done.
  cone?: Cone; // All else is pale.
}

export class Strip {
  private messages: Message[][] = [];
  private bars: Bar[][] = [];
  private marks: Mark[][] = [];
  private inks = new Map<string, number>();

  constructor(readonly picture: Picture) {
    const last = picture.rows;
    for (const m of picture.messages) {
      if (!this.inks.has(kindOf(m.text))) this.inks.set(kindOf(m.text), this.inks.size % 6);
      this.put(this.messages, m, m.sent, m.came ?? Math.min(m.sent + 1, last));
    }
    for (const bar of picture.bars) this.put(this.bars, bar, bar.first, bar.last ?? last);
    for (const mark of picture.marks) this.put(this.marks, mark, mark.row, mark.row);
  }
  private put<T>(to: T[][], one: T, first: number, last: number) {
    for (let b = Math.max(0, Math.floor(first / kBucket)); b <= Math.floor(last / kBucket); ++b) (to[b] ??= []).push(one);
  }
  private in<T>(of: T[][], first: number, last: number): Set<T> {
    const found = new Set<T>();
    for (let b = Math.max(0, Math.floor(first / kBucket)); b <= Math.floor(last / kBucket); ++b) for (const one of of[b] ?? []) found.add(one);
    return found;
  }

  heightOf = (zoom: number) => (this.picture.rows + kAbove) * kRow * zoom;
  private x = (node: number, w: Window) => kGutter * w.zoom + ((w.width - kGutter * w.zoom) * (node + 0.5)) / this.picture.scene.nodes.length;
  private y = (row: number, w: Window) => (row + kAbove) * kRow * w.zoom - w.top;
  rowAt = (y: number, w: Window) => Math.round((y + w.top) / (kRow * w.zoom)) - kAbove;

  private ends(m: Message, w: Window): [number, number, number, number] {
    const [x1, y1] = [this.x(m.from, w), this.y(m.sent, w)];
    const [x2, y2] = [this.x(m.to, w), this.y(m.came ?? m.sent + 1, w)];
    return m.fate === 'arrives' ? [x1, y1, x2, y2] : [x1, y1, x2 - 0.3 * (x2 - x1), y2];
  }
  // The message under a point, if there is one near it.
  messageAt(x: number, y: number, w: Window): Message | undefined {
    const row = this.rowAt(y, w);
    let best: Message | undefined;
    let least = 7;
    for (const m of this.in(this.messages, row - 1, row + 1)) {
      const [x1, y1, x2, y2] = this.ends(m, w);
      const [dx, dy] = [x2 - x1, y2 - y1];
      const t = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
      const away = Math.hypot(x1 + t * dx - x, y1 + t * dy - y);
      if (away < least) [best, least] = [m, away];
    }
    return best;
  }

  // The event under a point.
  markAt(x: number, y: number, w: Window): Mark | undefined {
    const row = this.rowAt(y, w);
    const away = (mark: Mark) => Math.hypot(this.x(mark.node, w) - x, this.y(mark.row, w) - y);
    const near = [...this.in(this.marks, row - 1, row + 1)].filter((mark) => away(mark) < 8);
    return near.reduce<Mark | undefined>((best, mark) => (best && away(best) <= away(mark) ? best : mark), undefined);
  }

  draw(paper: CanvasRenderingContext2D, w: Window, colour: Colours) {
    const first = Math.max(0, this.rowAt(0, w) - 1);
    const last = Math.min(this.picture.rows, this.rowAt(w.height, w) + 1);
    const pale = (row: number) => (paper.globalAlpha = row >= w.position ? 0.25 : 1);
    paper.clearRect(0, 0, w.width, w.height);
    paper.textBaseline = 'middle';
    this.drawLines(paper, w, colour, first, last);
    for (const bar of this.in(this.bars, first, last)) {
      pale(bar.first);
      const half = bar.kind === 'waiting' ? 4 : 6;
      const [from, to] = [this.y(bar.first, w), this.y(bar.last ?? this.picture.rows, w)];
      paper.fillStyle = isAlarm(bar, w.position) ? colour.alarm : colour[bar.kind];
      paper.fillRect(this.x(bar.node, w) - half, from, 2 * half, Math.max(3, to - from));
    }
    const labelled = this.in(this.messages, first, last);
    for (const m of labelled) {
      pale(m.copied ?? m.sent);
      if (w.cone && !w.cone.messages.has(m.id)) paper.globalAlpha = 0.12;
      this.drawArrow(paper, m, w, colour);
    }
    for (const mark of this.in(this.marks, first, last)) {
      pale(mark.row);
      const isIn = w.cone?.events.has(eventKey(mark.row, mark.node)) ?? true;
      if (!isIn) paper.globalAlpha = 0.25;
      paper.fillStyle = paper.strokeStyle = mark.kind === 'crash' || mark.kind === 'rejected' ? colour.alarm : colour.text;
      paper.beginPath();
      paper.arc(this.x(mark.node, w), this.y(mark.row, w), mark.kind === 'deferred' ? 3.5 : w.cone && isIn ? 4 : 2.4, 0, 7);
      if (mark.kind === 'deferred') paper.stroke();
      else paper.fill();
    }
    paper.font = `${11 * Math.min(1.4, w.zoom)}px sans-serif`;
    paper.textAlign = 'center';
    if (w.zoom > 0.7) this.label(paper, labelled, w, colour);
    paper.globalAlpha = 1;
  }
  private drawLines(paper: CanvasRenderingContext2D, w: Window, colour: Colours, first: number, last: number) {
    paper.globalAlpha = 1;
    paper.fillStyle = colour.focus;
    paper.globalAlpha = 0.13;
    paper.fillRect(0, this.y(w.position - 1, w) - (kRow * w.zoom) / 2, w.width, kRow * w.zoom);
    paper.globalAlpha = 1;
    paper.strokeStyle = colour.lifeline;
    paper.lineWidth = 1.2;
    paper.beginPath();
    this.picture.scene.nodes.forEach((_, node) => {
      const end = this.picture.crashed[node];
      paper.moveTo(this.x(node, w), 0);
      paper.lineTo(this.x(node, w), Math.max(0, Math.min(w.height, end === undefined ? w.height : this.y(end, w))));
    });
    paper.stroke();
    paper.fillStyle = colour.quiet;
    paper.font = `${10 * Math.min(1.4, w.zoom)}px sans-serif`;
    paper.textAlign = 'right';
    const every = w.zoom < 0.6 ? 5 : 1;
    for (let row = first; row < last; ++row) if ((row + 1) % every === 0) paper.fillText(String(row + 1), (kGutter - 12) * w.zoom, this.y(row, w));
  }
  private drawArrow(paper: CanvasRenderingContext2D, m: Message, w: Window, colour: Colours) {
    const [x1, y1, x2, y2] = this.ends(m, w);
    paper.strokeStyle = paper.fillStyle = m.fate === 'lost' ? colour.alarm : colour[`ink${this.inks.get(kindOf(m.text))}`];
    paper.lineWidth = 1.3;
    paper.beginPath();
    paper.moveTo(x1, y1);
    paper.lineTo(x2, y2);
    paper.stroke();
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    paper.beginPath();
    if (m.fate === 'lost') {
      paper.moveTo(x2 - 4, y2 - 4);
      paper.lineTo(x2 + 4, y2 + 4);
      paper.moveTo(x2 + 4, y2 - 4);
      paper.lineTo(x2 - 4, y2 + 4);
      paper.stroke();
    } else {
      paper.moveTo(x2, y2);
      paper.lineTo(x2 - 8 * ux - 3 * uy, y2 - 8 * uy + 3 * ux);
      paper.lineTo(x2 - 8 * ux + 3 * uy, y2 - 8 * uy - 3 * ux);
      paper.fill();
    }
  }
  // One label for all arrows of a multicast to one side.
  private label(paper: CanvasRenderingContext2D, all: Set<Message>, w: Window, colour: Colours) {
    const groups = new Map<string, Message>();
    for (const m of all) if (!w.cone || w.cone.messages.has(m.id)) groups.set(`${m.sent}/${m.from < m.to}/${m.text}/${m.copied}`, m);
    for (const m of groups.values()) {
      const [x1, y1, x2, y2] = this.ends(m, w);
      const text = shortMessage(m.text);
      const [x, y] = [x1 + 0.6 * (x2 - x1), y1 + 0.6 * (y2 - y1) - 7];
      if (y < -10 || y > w.height + 10) continue;
      paper.globalAlpha = (m.copied ?? m.sent) >= w.position ? 0.25 : 1;
      paper.lineWidth = 3;
      paper.strokeStyle = colour.paper;
      paper.strokeText(text, x, y);
      paper.fillStyle = colour[`ink${this.inks.get(kindOf(m.text))}`];
      paper.fillText(text, x, y);
    }
  }
}
