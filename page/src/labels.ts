// Where the labels of a picture go, as in src/draw/labels.h: each has some places it would like, and gets the one where it
// covers least of the drawing.

export interface Point {
  x: number;
  y: number;
}
export interface Place extends Point {
  angle: number;
  malus: number; // The larger, the less liked.
}
interface Disc extends Point {
  r: number;
}
interface Line {
  from: Point;
  to: Point;
  cost: number;
}

export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const c of text) width += /[A-ZÄÖÜM@%]/.test(c) ? 0.69 : /[ .,;:()[\]il'|!]/.test(c) ? 0.32 : 0.57;
  return width * size;
}

function distance(p: Point, { from, to }: Line): number {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((p.x - from.x) * dx + (p.y - from.y) * dy) / length));
  return Math.hypot(p.x - from.x - t * dx, p.y - from.y - t * dy);
}

const kBand = 48;

export class LabelPlacer {
  // By bands of the sheet, so that a label looks only at what is near.
  private lines = new Map<number, Line[]>();
  private taken = new Map<number, Disc[]>();

  constructor(
    private low: Point,
    private high: Point,
  ) {}

  avoid(from: Point, to: Point, cost: number) {
    const line = { from, to, cost };
    for (let b = Math.floor(Math.min(from.y, to.y) / kBand) - 1; b <= Math.floor(Math.max(from.y, to.y) / kBand) + 1; ++b) {
      this.lines.set(b, [...(this.lines.get(b) ?? []), line]);
    }
  }

  // The best place, taken from now on; nothing if even that costs more than `most`.
  place(places: Place[], width: number, height: number, most = 1e9): Place | undefined {
    let best: Place | undefined;
    let least = most;
    for (const place of places) {
      const cost = place.malus + (place.malus < least ? this.cost(this.discs(place, width, height)) : 0);
      if (cost < least) [best, least] = [place, cost];
    }
    if (!best) return undefined;
    for (const disc of this.discs(best, width, height)) {
      const band = Math.floor(disc.y / kBand);
      this.taken.set(band, [...(this.taken.get(band) ?? []), disc]);
    }
    return best;
  }

  // A label takes the room of some discs in a row.
  private discs(place: Place, width: number, height: number): Disc[] {
    const count = Math.max(1, Math.ceil(width / height));
    const angle = (place.angle * Math.PI) / 180;
    return Array.from({ length: count }, (_, i) => {
      const along = ((i + 0.5) / count - 0.5) * width;
      return { x: place.x + along * Math.cos(angle), y: place.y + along * Math.sin(angle), r: height / 2 };
    });
  }

  private cost(discs: Disc[]): number {
    let cost = 0;
    for (const disc of discs) {
      const band = Math.floor(disc.y / kBand);
      if (disc.x - disc.r < this.low.x || disc.x + disc.r > this.high.x) cost += 60;
      if (disc.y - disc.r < this.low.y || disc.y + disc.r > this.high.y) cost += 60;
      for (const line of this.lines.get(band) ?? []) if (distance(disc, line) < disc.r) cost += line.cost;
      for (const b of [band - 1, band, band + 1]) {
        for (const other of this.taken.get(b) ?? []) {
          if (Math.hypot(disc.x - other.x, disc.y - other.y) < disc.r + other.r) cost += 40;
        }
      }
    }
    return cost;
  }
}
