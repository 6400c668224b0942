// What a daemon tells (docs/live.md), and how it is shown.

export interface Person {
  member: number;
  member_name: string;
  host: string;
  pid: number;
  command: string;
  since_ms: number;
  fence?: string;
  mode?: 'shared';
}
export interface Lock {
  lock: string;
  algorithm: string;
  holder: Person | null;
  sharers: Person[];
  waiters: Person[];
  more_sharers: number;
  more_waiters: number;
}
export interface Report {
  member: number;
  name: string;
  ready: boolean;
  obstacle: string;
  epoch: number;
  size: number;
  lease_ms: number;
  clients: number;
  held: number;
  waiting: number;
  entries: number;
  uptime_ms: number;
}
export interface Life {
  life: number;
  seat: number;
  name: string;
  address: string;
  member: boolean;
  up: boolean;
  evicted: boolean;
}
export interface Status {
  group: string;
  member: number;
  name: string;
  release: string | null;
  size: number;
  epoch: number;
  ready: boolean;
  obstacle: string;
  absence: string;
  standing: string;
  members: { member: number; address: string; up: boolean; trouble: string }[];
  election: string;
  term: number;
  leader: number | null;
  view: null | { engine: string; engine_reachable: boolean; engine_said: string; ttl_ms: number; lease_ms: number; jeopardy: boolean; standing: string; lives: Life[] };
  all: Report[];
  silent: number[];
}
export interface Histogram {
  bounds_ms: number[];
  counts: number[];
  sum_ms: number;
}
export interface Rule {
  pattern: string;
  algorithm: string;
  waiting: number;
  holding: number;
  waits: Histogram;
  holds: Histogram;
}
export interface Figures {
  rules: Rule[];
  messages_sent: number;
  messages_received: number;
  losses_told: number;
  stale_messages_refused: number;
  leases_lost: number;
  complaints: number;
  links_refused: number;
  longest_turn_ms: number;
}
export interface Waits {
  edges: [string, string][];
  cycles: string[][];
}
export interface Turnover {
  time: number;
  what: 'taken' | 'left';
  who: Person;
}

// The messages of a lock, at all members.
export interface Recorded {
  time: number;
  for_ms: number;
  steps: number;
  is_cut: boolean;
  trace: string;
  svg?: string; // Unless it is long.
}

// Who belongs to the group, or is about to.
export function seatsOf(status: Status | null): { seat: number; name: string; joins: boolean }[] {
  if (!status?.view) return (status?.members ?? []).map(({ member }) => ({ seat: member, name: `member ${member}`, joins: false }));
  return status.view.lives.map(({ seat, name, member }) => ({ seat, name, joins: !member }));
}

// What strangers have written: marks that turn writing round, and those that are not seen, are made visible.
export function shown(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// 850 ms, 12 s, 3 min 20 s, 5 h 12 min: as `hapax who` has it, but for less than a second.
export function span(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
}

// Without the program's folder.
export function command(person: Person): string {
  const first = person.command.split(' ', 1)[0];
  const short = person.command.slice(first.lastIndexOf('/') + 1);
  return shown(short.length > 60 ? `${short.slice(0, 60)}…` : short);
}
export const who = (person: Person) => `${command(person)}, pid ${person.pid} on ${shown(person.host)}`;

// When it began to hold or to wait, by our clock. `seen`: when what is told was so.
export const began = (person: Person, seen: number) => seen - person.since_ms;

export const clock = (time: number) => new Date(time).toLocaleTimeString('en-GB');
