// A picture on a sheet, with the conventions of src/draw/svg.cc: lifelines are columns, time goes down in rows, one step
// each. Everything that is drawn is here as numbers; Diagram.svelte only writes them down.
import { LabelPlacer, textWidth, type Place, type Point } from './labels';
import { kindOf, shortMessage, type Bar, type Mark, type Message, type Picture } from './run';

const kRow = 30;
const kTop = 8;
const kGutter = 34; // For the numbers of the steps.
const kBarHalf = 6;
const kPaleHalf = 4;
const kLabelSize = 11;
const kSmallSize = 9.5;
const kCaptionLine = 15;
export const kCaptionWidth = 230;

export interface Arrow {
  message: Message;
  from: Point;
  to: Point;
  head: string; // Points of a polygon.
  ink: number;
}
export interface DrawnBar {
  bar: Bar;
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Label extends Place {
  text: string;
  row: number; // It is there as soon as this step is done.
  style: 'label' | 'strong' | 'aside' | 'clock';
  ink: number | 'alarm' | 'inside' | 'leading' | 'quiet' | 'text';
  alarm?: number; // From this step on it is one.
}
export interface Sheet {
  width: number;
  height: number;
  right: number; // Where captions begin.
  columns: number[];
  rows: number[];
  ends: number[]; // By node: where its lifeline ends.
  arrows: Arrow[];
  bars: DrawnBar[];
  marks: (Mark & Point)[];
  dividers: { y: number; row: number }[];
  captions: { y: number; row: number; lines: string[] }[];
  labels: Label[];
}

function wrapped(text: string, size: number, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer, size) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return line === '' ? lines : [...lines, line];
}

export const remarkOf = (comments: string[]) =>
  comments
    .map((comment) => comment.replace(/^[# ]+/, ''))
    .filter((comment) => comment !== '')
    .join(' ');

class Drawing {
  private inks = new Map<string, number>();
  private placer: LabelPlacer;
  private pitch: number;
  sheet: Sheet;

  constructor(
    private picture: Picture,
    width: number,
    withCaptions: boolean,
  ) {
    const n = picture.scene.nodes.length;
    const longest = Math.max(...picture.scene.nodes.map((name) => textWidth(name, 14)));
    const free = width - (withCaptions ? kCaptionWidth : 0) - kGutter;
    this.pitch = Math.max(58, longest + 14, Math.min(190, free / Math.max(n, 1)));
    const columns = picture.scene.nodes.map((_, i) => kGutter + this.pitch * (i + 0.5));
    const right = Math.max(kGutter + this.pitch * n, free + kGutter);
    const shift = Math.max(0, (right - kGutter - this.pitch * n) / 2);
    this.sheet = {
      width: right + (withCaptions ? kCaptionWidth : 0),
      height: 0,
      right,
      columns: columns.map((x) => x + shift),
      rows: [],
      ends: [],
      arrows: [],
      bars: [],
      marks: [],
      dividers: [],
      captions: [],
      labels: [],
    };
    this.placeRows(withCaptions);
    this.placer = new LabelPlacer({ x: 0, y: 0 }, { x: right, y: this.sheet.height });
    this.draw();
    this.label();
  }

  private placeRows(withCaptions: boolean) {
    const { scene } = this.picture;
    let y = kTop + 22;
    let free = 0; // Above this the captions are taken.
    const opening = remarkOf(scene.comments);
    scene.steps.forEach((step, row) => {
      const said = [row === 0 ? opening : '', remarkOf(step.comments)].filter((text) => text !== '').join(' ');
      if (withCaptions && said !== '') {
        const lines = wrapped(said, 11.5, kCaptionWidth - 30);
        if (row > 0) y = Math.max(y + 8, free);
        this.sheet.captions.push({ y, row, lines });
        free = y + lines.length * kCaptionLine + 14;
      }
      this.sheet.rows.push(y);
      y += kRow;
    });
    this.sheet.height = Math.max(y + 6, free, 120);
  }

  private x(node: number) {
    return this.sheet.columns[node];
  }
  private y(row: number) {
    return row < 0 ? 0 : this.sheet.rows[row];
  }
  private get bottom() {
    return this.sheet.height - 8;
  }
  // Half of what stands on a lifeline at a row: arrows end at its edge.
  private half(node: number, row: number): number {
    let half = 2.4;
    for (const bar of this.picture.bars) {
      if (bar.node !== node || bar.first > row || (bar.last ?? Infinity) < row) continue;
      half = Math.max(half, bar.kind === 'waiting' ? kPaleHalf : kBarHalf);
    }
    return half;
  }
  private ink(message: Message): number {
    const kind = kindOf(message.text);
    if (!this.inks.has(kind)) this.inks.set(kind, this.inks.size % 6);
    return this.inks.get(kind)!;
  }

  private draw() {
    const { picture, sheet, placer } = this;
    sheet.ends = picture.crashed.map((row) => (row === undefined ? this.bottom : this.y(row)));
    sheet.columns.forEach((x, i) => placer.avoid({ x, y: 0 }, { x, y: sheet.ends[i] }, 3));
    for (const { row } of picture.dividers) sheet.dividers.push({ y: this.y(row), row });
    for (const bar of picture.bars) {
      const half = bar.kind === 'waiting' ? kPaleHalf : kBarHalf;
      const [x, y] = [this.x(bar.node), this.y(bar.first)];
      const end = bar.last === undefined ? this.bottom : this.y(bar.last);
      sheet.bars.push({ bar, x: x - half, y, width: 2 * half, height: Math.max(3, end - y) });
      for (const side of [-half, half]) placer.avoid({ x: x + side, y }, { x: x + side, y: end }, 14);
    }
    for (const message of picture.messages) this.drawArrow(message);
    sheet.marks = picture.marks.filter((m) => m.row >= 0).map((m) => ({ ...m, x: this.x(m.node), y: this.y(m.row) }));
  }

  private drawArrow(message: Message) {
    const side = message.from < message.to ? 1 : -1;
    const from = { x: this.x(message.from) + side * this.half(message.from, message.sent), y: this.y(message.sent) };
    const came = message.came ?? this.picture.rows - 1;
    let to = { x: this.x(message.to) - side * this.half(message.to, came), y: this.y(came) };
    if (message.fate === 'lost') {
      // In the row in which it is lost, before the lifeline that it does not reach.
      to = { x: to.x - side * 0.3 * this.pitch, y: Math.max(from.y + 12, to.y) };
    } else if (message.fate === 'under way') {
      to = { x: to.x - side * 0.4 * this.pitch, y: Math.min(from.y + 38, this.bottom) };
    } else if (to.y <= from.y) {
      to.y = from.y + 10;
    }
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
    const head = [
      [to.x, to.y],
      [to.x - 9 * ux - 3.4 * uy, to.y - 9 * uy + 3.4 * ux],
      [to.x - 9 * ux + 3.4 * uy, to.y - 9 * uy - 3.4 * ux],
    ];
    this.sheet.arrows.push({ message, from, to, head: head.map((p) => p.map((v) => v.toFixed(1)).join(',')).join(' '), ink: this.ink(message) });
    this.placer.avoid(from, to, 10);
  }

  // --- labels: what matters most chooses first ---

  private label() {
    for (const { row, text } of this.picture.dividers) this.labelDivider(row, text);
    for (const bar of this.picture.bars) this.labelBar(bar);
    for (const mark of this.sheet.marks) if (mark.label !== '') this.labelMark(mark);
    const groups = Map.groupBy(this.sheet.arrows, ({ message: m }) =>
      [m.sent, shortMessage(m.text), m.from < m.to, m.copied ?? ''].join('/'),
    );
    for (const arrows of groups.values()) this.labelArrows(arrows);
    for (const mark of this.sheet.marks) this.labelAside(mark);
  }

  private write(places: Place[], text: string, row: number, style: Label['style'], ink: Label['ink'], most?: number, alarm?: number) {
    const size = style === 'aside' || style === 'clock' ? kSmallSize : kLabelSize;
    const place = this.placer.place(places, textWidth(text, size), size + 1, most);
    if (place) this.sheet.labels.push({ ...place, text, row, style, ink, alarm });
  }

  private beside(at: Point, half: number, width: number): Place[] {
    return [0, -8, 8, -14, 14].flatMap((dy) => [
      { x: at.x + half + 7 + width / 2, y: at.y + dy, angle: 0, malus: Math.abs(dy) / 8 },
      { x: at.x - half - 7 - width / 2, y: at.y + dy, angle: 0, malus: 1.5 + Math.abs(dy) / 8 },
    ]);
  }

  private labelDivider(row: number, text: string) {
    const width = textWidth(text, kLabelSize);
    const middle = this.sheet.right / 2;
    const places: Place[] = [];
    for (let x = kGutter + width / 2; x <= Math.max(kGutter + width / 2, this.sheet.right - width / 2); x += 8) {
      places.push({ x, y: this.y(row) - 9, angle: 0, malus: Math.abs(x - middle) / 100 });
    }
    this.write(places, text, row, 'label', 'quiet');
  }

  private labelBar(bar: Bar) {
    if (bar.label === '') return;
    const width = textWidth(bar.label, kLabelSize) * 1.1; // Bold.
    const from = this.y(bar.first);
    const to = bar.last === undefined ? this.bottom : this.y(bar.last);
    // What is inside is labelled in the middle; one that waits for ever, where the picture ends.
    const waits = bar.kind === 'waiting';
    const length = waits ? to - from : Math.min(to - from, 160);
    const places = [0.5, 0.35, 0.65, 0.2, 0.8, 0.05, 0.95].flatMap((along) =>
      this.beside({ x: this.x(bar.node), y: from + along * length }, kBarHalf, width).map((place) => ({
        ...place,
        malus: place.malus + (waits ? 10 * Math.abs(0.95 - along) : 0),
      })),
    );
    // That it waits for ever is known only at the end.
    this.write(places, bar.label, waits ? this.picture.rows - 1 : bar.first, 'strong', waits ? 'alarm' : bar.kind === 'leading' ? 'leading' : 'inside', undefined, bar.alarm);
  }

  private labelMark(mark: Mark & Point) {
    const isAlarm = mark.kind === 'refused' || mark.kind === 'rejected';
    const half = this.half(mark.node, mark.row);
    this.write(this.beside(mark, half, textWidth(mark.label, kLabelSize)), mark.label, mark.row, 'label', isAlarm ? 'alarm' : 'text');
  }

  // One label for all arrows of a multicast to one side.
  private labelArrows(arrows: Arrow[]) {
    const { message } = arrows[0];
    const text = shortMessage(message.text) + (message.copied === undefined ? '' : ', copy');
    const width = textWidth(text, kLabelSize);
    const places = arrows.flatMap(({ from, to }) => {
      const length = Math.hypot(to.x - from.x, to.y - from.y);
      let angle = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
      if (angle > 90) angle -= 180;
      const turn = (angle * Math.PI) / 180;
      return [0.5, 0.44, 0.56, 0.38, 0.62, 0.3, 0.7, 0.2, 0.8].flatMap((t) =>
        [-1, 1].map((off) => {
          const away = off * (kLabelSize / 2 + 2.5);
          const over = Math.max(0, width / 2 - Math.min(t, 1 - t) * length);
          return {
            x: from.x + t * (to.x - from.x) - away * Math.sin(turn),
            y: from.y + t * (to.y - from.y) + away * Math.cos(turn),
            angle,
            malus: Math.abs(t - 0.5) * 4 + (off > 0 ? 1 : 0) + over,
          };
        }),
      );
    });
    this.write(places, text, message.copied ?? message.sent, 'label', arrows[0].ink);
  }

  // Nice to have where there is room: the clock, and that somebody is kept waiting.
  private labelAside(mark: Mark & Point) {
    const half = this.half(mark.node, mark.row);
    const aside = (text: string, style: 'aside' | 'clock', most: number) =>
      this.write(this.beside(mark, half, textWidth(text, kSmallSize)), text, mark.row, style, 'quiet', most);
    if (mark.kind === 'deferred') aside('defers', 'aside', 30);
    if (mark.clock !== undefined) aside(String(mark.clock), 'clock', 9);
  }
}

export const drawOn = (picture: Picture, width: number, withCaptions: boolean): Sheet =>
  new Drawing(picture, width, withCaptions).sheet;
