// A plot on logarithmic or plain axes, as numbers: Plot.svelte only writes them down.

export interface Series {
  name: string;
  ink: number;
  points: [number, number][]; // Measured.
  line: [number, number][]; // By the formula; may be empty.
}
export interface Axis {
  label: string;
  log: boolean;
}
export interface Tick {
  at: number;
  text: string;
}

export const kWidth = 520;
export const kHeight = 300;
const kLeft = 52;
const kRight = 12;
const kTop = 12;
const kBottom = 40;

export interface Scale {
  place: (value: number) => number;
  ticks: Tick[];
}
const shown = (value: number) => (value >= 1000 ? value.toLocaleString('en') : String(Number(value.toPrecision(3))));

function logScale(low: number, high: number, from: number, to: number): Scale {
  const [a, b] = [Math.log10(low), Math.log10(Math.max(high, low * 1.01))];
  const place = (value: number) => from + ((Math.log10(value) - a) / (b - a)) * (to - from);
  const ticks: Tick[] = [];
  const few = b - a > 2.2;
  for (let e = Math.floor(a); e <= Math.ceil(b); ++e) {
    for (const m of few ? [1] : [1, 2, 5]) {
      const value = m * 10 ** e;
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push({ at: place(value), text: shown(value) });
    }
  }
  // Within less than a decade the axis is marked like a plain one.
  return { place, ticks: ticks.length > 1 ? ticks : ticksOf(low, high).map((value) => ({ at: place(value), text: shown(value) })) };
}
function ticksOf(low: number, high: number): number[] {
  const rough = (high - low || 1) / 5;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough)!;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor((high * 1.0001) / step) - first + 1 }, (_, i) => (first + i) * step);
}
function plainScale(low: number, high: number, from: number, to: number): Scale {
  const place = (value: number) => from + ((value - low) / (high - low || 1)) * (to - from);
  const ticks = ticksOf(low, high).map((value) => ({ at: place(value), text: shown(value) }));
  return { place, ticks };
}

// What cannot stand on an axis (0 on a logarithmic one) is left out.
export function scalesOf(series: Series[], x: Axis, y: Axis): { x: Scale; y: Scale; has: (point: [number, number]) => boolean } {
  const has = ([px, py]: [number, number]) => Number.isFinite(px) && Number.isFinite(py) && (!x.log || px > 0) && (!y.log || py > 0);
  const all = series.flatMap((one) => [...one.points, ...one.line]).filter(has);
  const spread = (values: number[], log: boolean) => {
    if (values.length === 0) return [1, 10];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return log ? [low / 1.15, high * 1.15] : [Math.min(0, low), high * 1.06];
  };
  const [x0, x1] = spread(all.map((p) => p[0]), x.log);
  const [y0, y1] = spread(all.map((p) => p[1]), y.log);
  return {
    x: (x.log ? logScale : plainScale)(x0, x1, kLeft, kWidth - kRight),
    y: (y.log ? logScale : plainScale)(y0, y1, kHeight - kBottom, kTop),
    has,
  };
}

// A mark for each series beside its colour, for those who do not tell colours apart.
const r = 4;
const marks = [
  `m-${r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 -${2 * r} 0z`,
  `m-${r} -${r}h${2 * r}v${2 * r}h-${2 * r}z`,
  `m0 -${r + 1}l${r + 1} ${2 * r}h-${2 * r + 2}z`,
  `m0 -${r + 1}l${r + 1} ${r + 1}l-${r + 1} ${r + 1}l-${r + 1} -${r + 1}z`,
  `m-${r} -${r}l${2 * r} ${2 * r}m0 -${2 * r}l-${2 * r} ${2 * r}`,
  `m0 -${r + 1}v${2 * r + 2}m-${r + 1} -${r + 1}h${2 * r + 2}`,
];
export const markAt = (ink: number, x: number, y: number) => `M${x.toFixed(1)} ${y.toFixed(1)}${marks[(ink + Math.floor(ink / 6)) % 6]}`;
