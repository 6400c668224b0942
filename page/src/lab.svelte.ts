// What the page is about: runs, each a fork of another or a new one, and the point at which the reader stands.
import * as edit from './edit';
import { Engine } from './engine';
import { examples, type Example } from './examples';
import { guides, pointsOf, type Guide, type Point } from './guides';
import { addressOf, kLargestScript, sharedIn, type View } from './share';
import { isUnderWay, phaseAt, understand, type Message, type Picture, type Scene } from './run';

export interface Run {
  id: number;
  title: string;
  source: string; // The script, one step a block.
  pictures: Picture[];
  example?: Example; // If it is one of ours, unchanged.
  command: string; // With which the command line shows the same; empty: as soon as it is saved.
  parent?: Run;
  changedAt?: number; // The first step that its parent does not have.
}

export interface Algorithm {
  name: string;
  family: string;
  kind?: string;
  fifo_needed?: boolean;
  can_deadlock?: boolean;
  voting_sets?: boolean;
  units?: boolean;
  summary: string;
}

export interface NewRun {
  algorithm: string;
  n: number;
  mode: 'random' | 'empty';
  requests: number;
  seed: number;
  latency: string;
  votingSets: string;
  unordered: boolean;
  units: number;
}

// A guide that the reader follows.
export interface Guided {
  guide: Guide;
  points: Point[]; // One for each step.
  step: number;
  chosen?: number; // The answer.
}

// A word of a command line, whatever is in it.
const quoted = (word: string) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

const kFirst = 'request-5-and-3'; // The example to begin with.
const commandsOf = (picture: Picture) => picture.scene.steps.map((step) => step.command);
function picturesOf(json: string): Picture[] {
  const { scenes, closing } = JSON.parse(json) as { scenes: Scene[]; closing: string[] };
  if (scenes.length > 0) scenes[scenes.length - 1].closing = closing;
  return scenes.map(understand);
}

class Laboratory {
  engine = new Engine((progress) => (this.steps = progress.states));
  algorithms = $state.raw<Algorithm[]>([]);
  runs = $state.raw<Run[]>([]);
  run = $state.raw<Run | undefined>();
  scene = $state(0);
  position = $state(0);
  problem = $state('');
  busy = $state(false);
  view = $state<View>('run');
  claim = $state(''); // The heading of the lectures that is looked at.
  guided = $state.raw<Guided | undefined>();
  fifo = $state(true); // Whether a message may arrive only after those before it on its link.
  playing = $state(false);
  hall = $state(false); // Only what a lecture hall has to see.
  embed = $state(false); // Only the picture and the step: it is in a frame of another page.
  steps = $state(0); // That the engine has taken so far, while it works on a long run.
  private lastId = 0;
  private asked = 0; // So that an answer that comes too late is not shown.

  get picture(): Picture | undefined {
    return this.run?.pictures[this.scene];
  }

  async start() {
    try {
      this.algorithms = JSON.parse(await this.engine.ask('algorithms')).algorithms;
    } catch (problem) {
      this.fail(problem);
    }
    await this.openAddress(location.hash);
  }

  fail(problem: unknown) {
    this.problem = problem instanceof Error ? problem.message : String(problem);
  }

  async openAddress(address: string) {
    try {
      const shared = await sharedIn(address);
      this.view = shared.view ?? 'run';
      this.claim = shared.claim ?? '';
      this.embed = shared.embed ?? false;
      if (this.view !== 'run' && this.run) return;
      this.guided = undefined;
      if (shared.guide !== undefined) {
        const guide = guides.find((one) => one.name === shared.guide);
        if (!guide) throw new Error(`there is no guide '${shared.guide.slice(0, 60)}'`);
        await this.openGuide(guide, (shared.step ?? 1) - 1);
        if (shared.run === undefined) return;
      }
      if (shared.run !== undefined) {
        await this.openText(shared.run, shared.title || 'a shared run');
      } else {
        const name = shared.trace ?? kFirst;
        const example = examples.find((one) => one.name === name);
        if (!example) throw new Error(`there is no example '${name.slice(0, 60)}'`);
        await this.openExample(example);
      }
      this.scene = Math.min(shared.scene ?? 0, (this.run?.pictures.length ?? 1) - 1);
      this.position = Math.min(shared.at ?? this.picture?.rows ?? 0, this.picture?.rows ?? 0);
    } catch (problem) {
      this.fail(problem);
    }
    if (this.run) return;
    const { problem } = this; // Stays to be read beside what is there to be seen.
    await this.openExample(examples.find((one) => one.name === kFirst)!);
    this.problem = problem;
  }

  address(): Promise<string> {
    const { run, scene, position, guided, view, claim, embed } = this;
    if (view !== 'run') return addressOf({ view, claim });
    if (!run) return Promise.resolve('#');
    const guide = guided && { guide: guided.guide.name, step: guided.step + 1 };
    const point = guided?.points[guided.step];
    if (guide && run.example && point?.scene === scene && point.position === position) return addressOf(guide);
    const where = { scene, at: position, embed, ...guide };
    return addressOf(run.example ? { trace: run.example.name, ...where } : { run: run.source, title: run.title, ...where });
  }

  // --- guides ---

  async openGuide(guide: Guide, step = 0) {
    this.view = 'run';
    this.fifo = guide.name !== 'lamport-overtaken'; // It is about that.
    await this.openExample(guide.example);
    if (this.run?.example !== guide.example) return; // It could not be opened, and that was said.
    this.guided = { guide, points: pointsOf(guide, this.run.pictures), step: -1 };
    this.goGuide(Math.max(0, Math.min(step, guide.steps.length - 1)) + 1);
  }
  // As many steps on. Where a fork is shown, the run of the guide is shown again.
  goGuide(by: number) {
    const { guided } = this;
    if (!guided?.guide.steps[guided.step + by]) return;
    const step = guided.step + by;
    const own = this.runs.find((one) => one.example === guided.guide.example);
    if (own) this.run = own;
    this.guided = { ...guided, step, chosen: undefined };
    this.scene = guided.points[step].scene;
    this.go(guided.points[step].position);
  }
  choose(answer: number) {
    if (this.guided?.guide.steps[this.guided.step].answers[answer]) this.guided = { ...this.guided, chosen: answer };
  }
  // The member that was pointed at, if that is an answer.
  chooseNamed(name: string) {
    this.choose(this.guided?.guide.steps[this.guided.step].answers.findIndex((one) => one.text === name) ?? -1);
  }
  closeGuide() {
    this.guided = undefined;
  }
  // Whether a question is open: then what comes is not to be seen yet.
  get isAsked(): boolean {
    const step = this.guided?.guide.steps[this.guided.step];
    return step?.question !== undefined && !step.answers[this.guided!.chosen ?? -1]?.isRight && this.run?.example === this.guided!.guide.example;
  }
  get nextGuide(): Guide | undefined {
    return this.guided && guides[guides.indexOf(this.guided.guide) + 1];
  }

  openExample(example: Example) {
    const command = `hapax trace ${example.path}`;
    return this.show(() => this.play('steps', example.text, { title: example.name, example, command }));
  }

  openText(text: string, title: string, command = '') {
    this.guided = undefined;
    if (text.length > kLargestScript) return this.fail(new Error('a trace of more than 8 MiB is too large for this page'));
    return this.show(() => this.play('steps', text, { title, command }));
  }

  async openFile(file: File) {
    if (file.size > kLargestScript) return this.fail(new Error(`'${file.name}' is larger than 8 MiB, too large for this page`));
    await this.openText(await file.text(), file.name.replace(/\.trace$/, ''), `hapax trace ${quoted(file.name)}`);
  }

  async openNew({ algorithm, n, mode, requests, seed, latency, votingSets, unordered, units }: NewRun) {
    this.guided = undefined;
    this.fifo = !unordered;
    const about = this.algorithms.find((one) => one.name === algorithm);
    const elects = about?.family === 'election';
    const counted = about?.units ? units : 1;
    if (mode === 'random' && !elects) {
      const request = { algorithm, n, requests, seed, load: 'high', latency, voting_sets: votingSets, unordered, units: counted };
      return this.show(async () => {
        const text = await this.engine.ask('simulate', JSON.stringify(request));
        const command = `${text.slice(2, text.indexOf('\n'))} --trace run.trace`;
        return this.play('steps', text, { title: `${algorithm}, N = ${n}, seed ${seed}`, command });
      });
    }
    const names = Array.from({ length: n }, (_, i) => `P${i + 1}`).join(' ');
    const first = mode === 'empty' ? '' : 'campaign P1\nstabilize\n';
    const sets = (about?.voting_sets ? ` voting-sets=${votingSets}` : '') + (counted > 1 ? ` units=${counted}` : '');
    const start = mode === 'empty' && algorithm === 'token-ring' ? 'start\n' : '';
    return this.openText(`nodes ${algorithm} ${names}${sets}\n${start}${first}----\n`, `${algorithm}, N = ${n}`);
  }

  // --- changes: each is a fork ---

  lose = (m: Message) => this.fork(`${this.nameOf(m)} lost`, edit.lose(this.picture!, m));
  delay = (m: Message) => this.fork(`${this.nameOf(m)} comes last`, edit.delay(this.picture!, m, this.fifo));
  duplicate = (m: Message) => this.fork(`${this.nameOf(m)} doubled`, edit.duplicate(this.picture!, m));
  deliver = (m: Message) => this.fork(`${this.nameOf(m)} arrives`, edit.deliverNow(this.picture!, m, this.position), this.position + 1);
  insert = (title: string, command: string) => this.fork(title, edit.insert(this.picture!, command, this.position), this.position + 1);
  pause = (node: number) => this.fork(`${this.picture!.scene.nodes[node]} stands still`, edit.pause(this.picture!, node, this.position), this.position);
  cut = () => this.fork(`only ${this.position} steps`, edit.cut(this.picture!, this.position));

  // Whatever is under way arrives, whoever is inside leaves, until nothing more happens.
  finish() {
    const { scene } = this;
    return this.change('run to its end', async () => {
      let pictures = this.run!.pictures;
      let source = '';
      for (let round = 0; round <= 2 * pictures[scene].scene.nodes.length; ++round) {
        const picture = pictures[scene];
        const inside = picture.scene.nodes.filter((_, i) => phaseAt(picture, i, picture.rows) === 'inside');
        const rests = !picture.messages.some((m) => isUnderWay(m, picture.rows));
        if (rests && inside.length === 0) break;
        const more = [...(picture.scene.rests ? ['stabilize'] : []), ...inside.map((name) => `release ${name}`)];
        const lines = more.reduce<edit.Line[]>((all, command) => [...all, { command, comments: [] }], [...picture.scene.steps]);
        source = edit.scriptOf(this.scenes(pictures), { scene, lines });
        pictures = picturesOf(await this.engine.ask('steps_forgiving', source));
      }
      return pictures;
    });
  }

  private scenes = (pictures: Picture[]) => pictures.map((picture) => picture.scene);
  private nameOf = (m: Message) => `${m.text.split('(')[0]} ${edit.linkOf(this.picture!.scene, m).replace('->', '→')}`;

  private fork(title: string, lines: edit.Line[], at?: number) {
    const source = edit.scriptOf(this.scenes(this.run!.pictures), { scene: this.scene, lines });
    return this.change(title, async () => picturesOf(await this.engine.ask('steps_forgiving', source)), at);
  }

  // Shows the fork where it begins to differ, or at its end.
  private async change(title: string, make: () => Promise<Picture[]>, at?: number) {
    const parent = this.run!;
    const { scene } = this;
    await this.show(async () => {
      const pictures = await make();
      const [before, after] = [commandsOf(parent.pictures[scene]), commandsOf(pictures[scene])];
      const differs = after.findIndex((command, i) => command !== before[i]);
      const changedAt = differs < 0 ? after.length : differs;
      return this.made(pictures, { title, parent, changedAt, command: '' });
    }, at ?? Infinity, scene);
  }

  private async play(ask: 'steps', text: string, about: Partial<Run> & { title: string; command: string }): Promise<Run> {
    return this.made(picturesOf(await this.engine.ask(ask, text)), about);
  }
  private made(pictures: Picture[], about: Partial<Run> & { title: string; command: string }): Run {
    return { ...about, id: ++this.lastId, pictures, source: edit.scriptOf(this.scenes(pictures)) };
  }

  private async show(make: () => Promise<Run>, at = Infinity, scene = 0) {
    const mine = ++this.asked;
    this.busy = true;
    this.steps = 0;
    try {
      const run = await make();
      if (mine !== this.asked) return;
      this.problem = '';
      this.runs = run.parent ? [...this.runs, run] : [run];
      this.run = run;
      this.scene = scene;
      this.position = Math.min(at, run.pictures[scene].rows);
    } catch (problem) {
      if (mine === this.asked) this.fail(problem);
    } finally {
      if (mine === this.asked) this.busy = false;
    }
  }

  select(run: Run) {
    this.run = run;
    this.scene = Math.min(this.scene, run.pictures.length - 1);
    this.position = Math.min(run.changedAt === undefined ? this.position : run.changedAt + 1, run.pictures[this.scene].rows);
  }

  go(position: number) {
    this.position = Math.max(0, Math.min(position, this.picture?.rows ?? 0));
  }
}

export const lab = new Laboratory();
