// Asks the engine. One worker answers what is quick; each check has one of its own, which is ended to stop it.
import type { Answer, Ask, Progress } from './instance';

interface Reply {
  id: number;
  answer?: Answer;
  broken?: string;
  progress?: Progress;
}

export class Engine {
  private worker: Worker | undefined;
  private waiting = new Map<number, { done: (text: string) => void; failed: (problem: Error) => void }>();
  private lastId = 0;

  constructor(private onProgress: (progress: Progress) => void = () => {}) {}

  // Rejects with the engine's sentence if it refuses.
  ask(ask: Ask, text = ''): Promise<string> {
    this.worker ??= this.start();
    const id = ++this.lastId;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed });
      this.worker!.postMessage({ id, ask, text });
    });
  }

  stop(why = 'stopped'): void {
    this.worker?.terminate();
    this.worker = undefined;
    for (const { failed } of this.waiting.values()) failed(new Error(why));
    this.waiting.clear();
  }

  private start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      if (data.progress) return this.onProgress(data.progress);
      if (data.broken !== undefined) return this.stop(data.broken); // The next question starts another.
      const { done, failed } = this.waiting.get(data.id)!;
      this.waiting.delete(data.id);
      if (data.answer!.ok) done(data.answer!.text);
      else failed(new Error(data.answer!.text));
    };
    worker.onerror = (event) => this.stop(event.message || 'the engine could not be loaded');
    return worker;
  }
}
