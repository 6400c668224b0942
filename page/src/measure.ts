// What is measured for the plots: runs of the engine in a worker of its own, one after the other, until it is stopped.
import { Engine } from './engine';
import type { Progress } from './instance';
import type { Series } from './plot';

export interface ComparisonRow {
  algorithm: string;
  kind: string;
  messages_per_entry: number;
  expected_messages_per_entry: number;
  messages_formula: string;
  client_delay_T: number;
  expected_client_delay_T: number;
  client_delay_formula: string;
  sync_delay_T: number | null;
  expected_sync_delay_T: number;
  sync_delay_formula: string;
  throughput: number | null;
  expected_throughput: number;
  in_request_order: boolean | null;
  fairness: number | null;
  deadlock: boolean;
}
export interface ElectionRow {
  algorithm: string;
  situation: string;
  messages: number;
  expected_messages: number;
  messages_formula: string;
  turnaround_T: number;
  expected_turnaround_T: number;
  turnaround_formula: string;
}
export interface Comparison {
  n: number;
  voting_sets: string;
  rows: ComparisonRow[];
  elections: ElectionRow[];
}
interface Measured {
  throughput: number | null;
  response_time_ms: number | null;
  violations: number;
}

export const sizes = [3, 5, 7, 10, 20, 50, 100];
export const ratios = [0.5, 1, 2, 5, 10, 20, 50]; // E/T
export const loads = [10, 20, 40, 60, 80, 100, 120, 140]; // Requests a second, by all.
const kMessages = 60_000; // In each run for a plot: enough for a point.

export class Bench {
  private engine: Engine;
  constructor(onProgress: (progress: Progress) => void) {
    this.engine = new Engine(onProgress);
  }
  stop() {
    this.engine.stop('Stopped.');
  }
  // As `hapax compare` prints it.
  async table(n: number): Promise<Comparison> {
    return JSON.parse(await this.engine.ask('compare', JSON.stringify({ n })));
  }
  async roughTable(n: number): Promise<Comparison> {
    return JSON.parse(await this.engine.ask('compare', JSON.stringify({ n, most_messages: kMessages })));
  }
  async run(algorithm: string, load: string, cs: string): Promise<Measured> {
    const request = { algorithm, n: 10, requests: 2000, load, cs, latency: 'const:1ms' };
    return JSON.parse(await this.engine.ask('measure', JSON.stringify(request)));
  }
}

type Pair = [number, number];
const figures: Record<string, [keyof ComparisonRow, keyof ComparisonRow]> = {
  messages: ['messages_per_entry', 'expected_messages_per_entry'],
  client: ['client_delay_T', 'expected_client_delay_T'],
  sync: ['sync_delay_T', 'expected_sync_delay_T'],
  throughput: ['throughput', 'expected_throughput'],
};

// A figure of all algorithms against N.
export function againstSize(tables: Comparison[], figure: keyof typeof figures, inks: Map<string, number>): Series[] {
  const [measured, expected] = figures[figure];
  return [...inks].map(([name, ink]) => {
    const rows = tables.flatMap((table) => table.rows.filter((row) => row.algorithm === name).map((row) => ({ n: table.n, row })));
    return {
      name,
      ink,
      points: rows.filter(({ row }) => row[measured] !== null).map(({ n, row }): Pair => [n, row[measured] as number]),
      line: rows.map(({ n, row }): Pair => [n, row[expected] as number]),
    };
  });
}
const electionFigures = {
  messages: ['messages', 'expected_messages'],
  turnaround: ['turnaround_T', 'expected_turnaround_T'],
} as const;
export function electionsAgainstSize(tables: Comparison[], figure: keyof typeof electionFigures): Series[] {
  const [measured, expected] = electionFigures[figure];
  const names = tables[0]?.elections.map((row) => `${row.algorithm}: ${row.situation}`) ?? [];
  return names.map((name, ink) => ({
    name,
    ink,
    points: tables.map((table): Pair => [table.n, table.elections[ink][measured]]),
    line: tables.map((table): Pair => [table.n, table.elections[ink][expected]]),
  }));
}
