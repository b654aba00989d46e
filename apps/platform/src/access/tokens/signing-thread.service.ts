import type { KeyObject } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { signTexts } from './sign-texts.ts';

/** The built file: a worker thread runs it even when this file is run as source. */
const ENTRY = new URL('../../../dist/access/tokens/signing-thread.worker.js', import.meta.url);

/** How many texts go to the thread in one message. The first messages are answered while later ones are signed. */
const TOGETHER = 8;

interface SigningRequest {
  resolve(signature: string): void;
  reject(reason: unknown): void;
}

/**
 * Signs in a worker thread, beside the thread that answers requests. Texts of one turn of the event loop are sent together: waking the
 * worker for each token cost more than half a signature, and most when the machine was busy. The worker is started only when two texts are
 * to be signed at once, because starting it costs as much as five hundred signatures.
 */
export class SigningThread {
  private worker: Worker | undefined;
  private texts: string[] = [];
  private queue: SigningRequest[] = [];
  private isClosed = false;

  constructor(private readonly key: KeyObject) {}

  sign(text: string): Promise<string> {
    if (this.texts.push(text) === 1) setImmediate(() => this.send());
    return new Promise((resolve, reject) => this.queue.push({ resolve, reject }));
  }

  /** Ends the thread after it has signed the pending texts. */
  close(): void {
    this.isClosed = true;
    this.endWhenIdle();
  }

  private send(): void {
    const texts = this.texts.splice(0);
    if (!this.worker && texts.length === 1) return this.signHere(texts);
    this.worker ??= this.start();
    this.worker.ref();
    for (let from = 0; from < texts.length; from += TOGETHER) this.worker.postMessage(texts.slice(from, from + TOGETHER));
  }

  private signHere(texts: readonly string[]): void {
    try {
      this.settle(signTexts(this.key, texts));
    } catch (reason) {
      this.fail(reason);
    }
  }

  /** Starts the thread: when several tokens are first requested at once, and again after a thread failed. */
  private start(): Worker {
    const worker = new Worker(ENTRY, { workerData: this.key, execArgv: [] });
    worker.on('message', (signatures: readonly string[]) => this.settle(signatures));
    worker.once('error', (reason) => this.fail(reason));
    return worker;
  }

  private settle(signatures: readonly string[]): void {
    const settled = this.queue.splice(0, signatures.length);
    settled.forEach(({ resolve }, nth) => resolve(signatures[nth]!));
    if (this.queue.length === 0) this.worker?.unref(); // an idle thread keeps no process alive
    this.endWhenIdle();
  }

  private endWhenIdle(): void {
    if (!this.isClosed || this.queue.length > 0) return;
    void this.worker?.terminate();
    this.worker = undefined;
  }

  private fail(reason: unknown): void {
    this.worker = undefined;
    for (const { reject } of this.queue.splice(0)) reject(reason);
    this.texts = [];
  }
}
