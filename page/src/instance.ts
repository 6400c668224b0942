// The laboratory's C++ as a WebAssembly instance (src/page/interface.h): a text in, a text out.

export type Ask =
  | 'trace_json'
  | 'trace_svg'
  | 'trace_shiviz'
  | 'trace_text'
  | 'steps'
  | 'steps_forgiving'
  | 'check'
  | 'simulate'
  | 'compare'
  | 'measure'
  | 'algorithms';

export interface Progress {
  states: number;
  frontier: number;
  depth: number;
  bytes: number;
}

export interface Answer {
  ok: boolean; // Otherwise the text says what is wrong with the question.
  text: string;
}

const kNotThere = 52; // WASI's errno of a call that a system does not have.

// What wasi-libc wants of a system. Nothing is there but a place for what a broken invariant says.
function systemOf(memory: () => WebAssembly.Memory, say: (text: string) => void) {
  return {
    fd_write(_fd: number, from: number, count: number, written: number): number {
      const view = new DataView(memory().buffer);
      let size = 0;
      for (let i = 0; i < count; ++i) {
        const at = view.getUint32(from + 8 * i, true);
        const length = view.getUint32(from + 8 * i + 4, true);
        say(new TextDecoder().decode(new Uint8Array(memory().buffer, at, length)));
        size += length;
      }
      view.setUint32(written, size, true);
      return 0;
    },
    proc_exit(code: number): never {
      throw new Error(`the engine ended with status ${code}`);
    },
  } as Record<string, (...values: never[]) => unknown>;
}

export async function instantiate(module: WebAssembly.Module, onProgress: (p: Progress) => void = () => {}) {
  let said = '';
  let exports: Record<string, CallableFunction> & { memory: WebAssembly.Memory };
  const system = systemOf(
    () => exports.memory,
    (text) => (said = (said + text).slice(-2000)),
  );
  const host: Record<string, CallableFunction> = {
    page_progress: (states: number, frontier: number, depth: number, bytes: number) =>
      onProgress({ states, frontier, depth, bytes }),
    page_now: () => performance.now() / 1000,
  };
  const imports: WebAssembly.Imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = (from === 'env' ? host[name] : system[name]) ?? (() => kNotThere);
  }
  const instance = await WebAssembly.instantiate(module, imports);
  exports = instance.exports as typeof exports;
  exports['_initialize']?.();

  // Throws if the engine breaks: then another one is needed.
  return (ask: Ask, text: string): Answer => {
    try {
      const question = new TextEncoder().encode(text);
      const at = exports['page_room'](question.length);
      new Uint8Array(exports.memory.buffer, at, question.length).set(question);
      const refused = exports[`page_${ask}`]();
      const answer = new Uint8Array(exports.memory.buffer, exports['page_answer'](), exports['page_answer_size']());
      return { ok: refused === 0, text: new TextDecoder().decode(answer) };
    } catch (problem) {
      throw new Error(said.trim() || `the engine stopped: ${problem instanceof Error ? problem.message : problem}`);
    }
  };
}
