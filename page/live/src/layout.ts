// Where the locks of a waits-for graph are drawn: in columns, each right of all that wait for it, but for the edges that
// close a cycle.
export interface Place {
  name: string;
  x: number;
  y: number;
}
export interface Arrow {
  from: Place;
  to: Place;
  isBack: boolean; // Against the columns.
  isDeadlock: boolean;
}
export interface Layout {
  places: Place[];
  arrows: Arrow[];
  width: number;
  height: number;
  left: number; // Locks that found no room.
}

export const kBox = { width: 128, height: 28 };
const kGap = 46;
const kColumn = kBox.width + kGap;
const kLine = kBox.height + 16;

export function layout(edges: [string, string][], cycles: string[][], most: number): Layout {
  // Those of a deadlock come first: they must be seen.
  const names = [...new Set([...cycles.flat(), ...edges.flat()])];
  const shown = new Set(names.slice(0, most));
  const next = new Map<string, string[]>();
  for (const [from, to] of edges) {
    if (shown.has(from) && shown.has(to)) next.set(from, [...(next.get(from) ?? []), to]);
  }
  // Depth first: an edge to where we come from goes back. What is done is in the order in which it was left.
  const state = new Map<string, 'open' | 'done'>();
  const back = new Set<string>();
  const done: string[] = [];
  for (const start of shown) {
    if (state.has(start)) continue;
    const stack = [{ name: start, at: 0 }];
    state.set(start, 'open');
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const to = (next.get(top.name) ?? [])[top.at++];
      if (to === undefined) {
        state.set(top.name, 'done');
        done.push(top.name);
        stack.pop();
      } else if (state.get(to) === 'open') {
        back.add(JSON.stringify([top.name, to]));
      } else if (!state.has(to)) {
        state.set(to, 'open');
        stack.push({ name: to, at: 0 });
      }
    }
  }
  const column = new Map<string, number>();
  for (const name of done.toReversed()) {
    const mine = column.get(name) ?? 0;
    column.set(name, mine);
    for (const to of next.get(name) ?? []) {
      if (!back.has(JSON.stringify([name, to]))) column.set(to, Math.max(column.get(to) ?? 0, mine + 1));
    }
  }
  const lines: number[] = [];
  const places = new Map<string, Place>();
  for (const name of done.toReversed()) {
    const at = column.get(name)!;
    lines[at] = (lines[at] ?? 0) + 1;
    places.set(name, { name, x: 8 + at * kColumn, y: 8 + (lines[at] - 1) * kLine });
  }
  const deadlocked = new Set(cycles.flatMap((cycle) => cycle.map((name, i) => JSON.stringify([name, cycle[(i + 1) % cycle.length]]))));
  const arrows = [...next].flatMap(([from, tos]) =>
    tos.map((to) => {
      const key = JSON.stringify([from, to]);
      return { from: places.get(from)!, to: places.get(to)!, isBack: back.has(key), isDeadlock: deadlocked.has(key) };
    }),
  );
  const deepest = Math.max(1, ...lines.map((count) => count ?? 0));
  return {
    places: [...places.values()],
    arrows,
    width: Math.max(1, lines.length) * kColumn - kGap + 16,
    height: deepest * kLine + (arrows.some((arrow) => arrow.isBack) ? 44 : 8),
    left: names.length - shown.size,
  };
}

// From the right side of one to the left of the other; back below both.
export function line({ from, to, isBack }: Arrow): string {
  const y1 = from.y + kBox.height / 2;
  const y2 = to.y + kBox.height / 2;
  if (!isBack) {
    const x1 = from.x + kBox.width;
    const middle = (x1 + to.x) / 2;
    return `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${to.x - 7},${y2}`;
  }
  const x1 = from.x + kBox.width / 2;
  const x2 = to.x + kBox.width / 2 + (from === to ? 30 : 0);
  const low = Math.max(from.y, to.y) + kBox.height + 30;
  return `M${x1},${from.y + kBox.height} C${x1},${low} ${x2},${low} ${x2},${to.y + kBox.height + 7}`;
}
