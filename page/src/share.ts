// The address says all of it: an example by its name, any other run as its script, compressed; and where the reader is.
//   #trace=request-5-and-3&at=4        #run=…&title=…&at=4&scene=1
//   #guide=bank&step=2                 #view=compare        #view=lectures&claim=the-ring
//   #embed=1&trace=…                   only the picture, in a frame of another page
// What is in an address comes from strangers: it is limited in size, and only ever shown as text.

export interface Shared {
  trace?: string;
  run?: string;
  title?: string;
  at?: number;
  scene?: number;
  guide?: string;
  step?: number; // Of the guide, from 1.
  view?: View;
  claim?: string; // A heading of the lectures.
  embed?: boolean;
}
export const views = ['run', 'compare', 'lectures'] as const;
export type View = (typeof views)[number];

export const kLargestScript = 8 << 20;
export const kLongestAddress = 100_000; // Browsers, and what people send addresses by, take no longer ones.

const toBase64 = (bytes: Uint8Array) =>
  btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const fromBase64 = (text: string) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

async function through(bytes: Uint8Array, stream: GenericTransformStream): Promise<Uint8Array> {
  const reader = (new Blob([bytes as BlobPart]).stream() as ReadableStream).pipeThrough(stream as never).getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > kLargestScript) throw new Error('the run in this address is too large');
    parts.push(next.value);
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

export async function addressOf(shared: Shared): Promise<string> {
  const words = new URLSearchParams();
  if (shared.view && shared.view !== 'run') words.set('view', shared.view);
  if (shared.claim) words.set('claim', shared.claim);
  if (shared.embed) words.set('embed', '1');
  if (shared.guide) words.set('guide', shared.guide);
  if (shared.step) words.set('step', String(shared.step));
  if (shared.trace !== undefined) words.set('trace', shared.trace);
  if (shared.run !== undefined) {
    words.set('run', toBase64(await through(new TextEncoder().encode(shared.run), new CompressionStream('deflate-raw'))));
  }
  if (shared.title) words.set('title', shared.title);
  if (shared.scene) words.set('scene', String(shared.scene));
  if (shared.at !== undefined) words.set('at', String(shared.at));
  return `#${words}`;
}

const numberIn = (text: string | null) => (text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined);

// Throws an Error with a sentence if the address makes no sense.
export async function sharedIn(address: string): Promise<Shared> {
  const words = new URLSearchParams(address.replace(/^#/, ''));
  const shared: Shared = {
    trace: words.get('trace') ?? undefined,
    title: words.get('title')?.slice(0, 200),
    at: numberIn(words.get('at')),
    scene: numberIn(words.get('scene')),
    guide: words.get('guide') ?? undefined,
    step: numberIn(words.get('step')),
    view: views.find((one) => one === words.get('view')),
    claim: words.get('claim')?.slice(0, 100),
    embed: words.get('embed') === '1',
  };
  const run = words.get('run');
  if (run === null) return shared;
  try {
    shared.run = new TextDecoder().decode(await through(fromBase64(run), new DecompressionStream('deflate-raw')));
  } catch (problem) {
    throw new Error(problem instanceof Error && problem.message.endsWith('too large') ? problem.message : 'the run in this address cannot be read; it may have been cut off');
  }
  return shared;
}
