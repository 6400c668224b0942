// The group as the page knows it. Locks are many, so they are kept outside of what Svelte watches: `changes` says that they
// are others now.
import { follow, get, Refused } from './stream';
import { clock, seatsOf, shown, type Figures, type Lock, type Recorded, type Status, type Turnover, type Waits } from './told';

export interface SeenLock extends Lock {
  seen: number; // When it was so, by our clock.
}
export interface Line {
  time: number;
  level: string;
  text: string;
}
export interface Gone {
  seat: number;
  name: string;
  since: number;
}
interface Sample {
  time: number;
  entries: Map<number, number>; // By member.
  messages: number;
}

const kMostLines = 500;
const kSamples = 121;

class Group {
  state = $state<'connecting' | 'live' | 'lost' | 'shut'>('connecting');
  problem = $state('');
  status = $state.raw<Status | null>(null);
  figures = $state.raw<Figures | null>(null);
  statusSeen = $state(0); // By our clock.
  heard = $state(0); // When the daemon said something last.
  gone = $state.raw<Gone[]>([]); // Who was a member while this page was open, and is none any more.
  waits = $state.raw<Waits>({ edges: [], cycles: [] });
  lines = $state.raw<Line[]>([]);
  samples = $state.raw<Sample[]>([]);
  changes = $state(0);
  moreLocks = $state(0);
  silent = $state.raw<number[]>([]);
  now = $state(Date.now()); // Ten times a second, for all that runs down.
  selected = $state<string | null>(null);
  history = $state.raw<Turnover[]>([]);
  recordings = $state.raw(new Map<string, { told?: Recorded; problem?: string }>()); // The last of each lock.
  isRecording = $state(false);
  readonly locks = new Map<string, SeenLock>();
  #pass = '';
  #offset = 0; // Of our clock against the daemon's.
  #hasLog = false;

  start() {
    this.#pass = this.#takePass();
    setInterval(() => (this.now = Date.now()), 100);
    void this.#follow();
  }

  // Of the address that `hapax live` printed, from which it is taken off; or of this tab, from before.
  #takePass(): string {
    const given = location.hash.slice(1);
    if (given) {
      sessionStorage.setItem('pass', given);
      history.replaceState(null, '', location.pathname);
    }
    return given || (sessionStorage.getItem('pass') ?? '');
  }

  async record(lock: string, seconds: number) {
    const put = (one: { told?: Recorded; problem?: string }) => (this.recordings = new Map(this.recordings).set(lock, one));
    this.isRecording = true;
    put({});
    try {
      put({ told: await get(`/v1/trace/${encodeURIComponent(lock)}?seconds=${seconds}`, this.#pass) });
    } catch (problem) {
      put({ problem: problem instanceof Error ? shown(problem.message) : 'it could not be recorded' });
    } finally {
      this.isRecording = false;
    }
  }

  async #follow() {
    for (let pause = 500; ; pause = Math.min(pause * 2, 5000)) {
      try {
        await follow('/v1/events', this.#pass, (event, told) => {
          pause = 250;
          this.#on(event, told);
          this.heard = Date.now();
        });
      } catch (problem) {
        if (problem instanceof Refused && problem.status < 500) {
          this.state = 'shut';
          this.problem = problem.status === 401 ? '' : shown(problem.message); // Of a pass the page speaks itself.
          return;
        }
      }
      this.state = 'lost';
      await new Promise((later) => setTimeout(later, pause));
    }
  }

  #on(event: string, told: any) {
    switch (event) {
      case 'begin':
        this.state = 'live';
        this.#offset = Date.now() - told.time;
        this.#hasLog = told.has_log;
        this.locks.clear();
        this.lines = [];
        this.samples = [];
        ++this.changes;
        break;
      case 'status':
        this.#onStatus(told);
        break;
      case 'locks':
        for (const lock of told.locks as Lock[]) this.locks.set(lock.lock, { ...lock, seen: told.time + this.#offset });
        for (const name of told.gone as string[]) this.locks.delete(name);
        this.moreLocks = told.more_locks;
        this.silent = told.silent;
        ++this.changes;
        if (this.selected !== null && [...told.locks.map((lock: Lock) => lock.lock), ...told.gone].includes(this.selected)) void this.#readHistory();
        break;
      case 'waits':
        this.waits = told;
        break;
      case 'log':
        this.#say(told.time + this.#offset, told.level, told.text);
    }
  }

  #onStatus(told: { time: number; status: Status; figures: Figures }) {
    const before = this.status;
    const figures = this.figures;
    const time = told.time + this.#offset;
    this.status = told.status;
    this.#noteGone(before, time);
    this.figures = told.figures;
    this.statusSeen = time;
    const entries = new Map(told.status.all.map((report) => [report.member, report.entries]));
    this.samples = [...this.samples, { time, entries, messages: told.figures.messages_sent }].slice(-kSamples);
    if (this.#hasLog || !before || !figures) return;
    // Those who may not read the daemon's log see the same of what concerns all.
    if (told.status.epoch !== before.epoch) this.#say(time, 'info', `view ${told.status.epoch} of ${told.status.size} members`);
    if (told.figures.losses_told > figures.losses_told) this.#say(time, 'error', `${told.figures.losses_told - figures.losses_told} grants were lost here, and their holders told`);
    if (told.status.obstacle !== before.obstacle) this.#say(time, 'warning', told.status.obstacle || 'locks are granted here again');
  }

  #noteGone(before: Status | null, since: number) {
    const seats = new Set(seatsOf(this.status).map(({ seat }) => seat));
    const left = before?.group === this.status?.group ? seatsOf(before).filter(({ seat }) => !seats.has(seat)) : [];
    if (left.length === 0 && !this.gone.some(({ seat }) => seats.has(seat))) return;
    this.gone = [...this.gone, ...left.map(({ seat, name }) => ({ seat, name, since }))].filter(({ seat }) => !seats.has(seat));
  }

  // Members that do not answer, or have gone while this page was open.
  get missing(): { name: string; why: string }[] {
    const answered = new Set(this.status?.all.map((report) => report.member));
    const silent = seatsOf(this.status).filter(({ seat, joins }) => !joins && !answered.has(seat));
    return [
      ...silent.map(({ name }) => ({ name, why: 'does not answer' })),
      ...this.gone.map(({ name, since }) => ({ name, why: `has been gone since ${clock(since)}` })),
    ];
  }

  #say(time: number, level: string, text: string) {
    this.lines = [...this.lines.slice(1 - kMostLines), { time, level, text: shown(text) }];
  }

  async select(name: string | null) {
    this.selected = name;
    this.history = [];
    if (name !== null) await this.#readHistory();
  }

  async #readHistory() {
    const name = this.selected!;
    try {
      const told = await get(`/v1/locks/${encodeURIComponent(name)}`, this.#pass);
      if (this.selected === name) this.history = told.history;
    } catch {
      // It is only less to see; whether the daemon is there is said elsewhere.
    }
  }
}

export const group = new Group();
