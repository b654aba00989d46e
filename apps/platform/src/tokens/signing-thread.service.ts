import type { KeyObject } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { signTexts } from './sign-texts.ts';

/** A thread runs what was built, also when this file is read as source. */
const ENTRY = new URL('../../dist/tokens/signing-thread.worker.js', import.meta.url);

/** So many share one waking; the first of them are answered while the others are signed. */
const TOGETHER = 8;

interface Asked {
  resolve(signature: string): void;
  reject(reason: unknown): void;
}

/**
 * Signs beside the thread that answers. What is asked for in one turn of the event loop goes over together: waking another thread for
 * each token cost more than half a signature, and most when the machine was busy. As long as nobody asks for two at once there is no
 * other thread: to start one costs as much as five hundred signatures.
 */
export class SigningThread {
  private worker: Worker | undefined;
  private texts: string[] = [];
  private asked: Asked[] = [];
  private isClosed = false;

  constructor(private readonly key: KeyObject) {}

  sign(text: string): Promise<string> {
    if (this.texts.push(text) === 1) setImmediate(() => this.send());
    return new Promise((resolve, reject) => this.asked.push({ resolve, reject }));
  }

  /** Ends the thread, after what is still to be signed. */
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

  /** Begun with the first tokens that are asked for at once, and again after one that broke. */
  private start(): Worker {
    const worker = new Worker(ENTRY, { workerData: this.key, execArgv: [] });
    worker.on('message', (signatures: readonly string[]) => this.settle(signatures));
    worker.once('error', (reason) => this.fail(reason));
    return worker;
  }

  private settle(signatures: readonly string[]): void {
    const settled = this.asked.splice(0, signatures.length);
    settled.forEach(({ resolve }, nth) => resolve(signatures[nth]!));
    if (this.asked.length === 0) this.worker?.unref(); // alone it keeps no process alive
    this.endWhenIdle();
  }

  private endWhenIdle(): void {
    if (!this.isClosed || this.asked.length > 0) return;
    void this.worker?.terminate();
    this.worker = undefined;
  }

  private fail(reason: unknown): void {
    this.worker = undefined;
    for (const { reject } of this.asked.splice(0)) reject(reason);
    this.texts = [];
  }
}
