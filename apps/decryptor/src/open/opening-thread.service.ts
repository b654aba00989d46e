import { Worker } from 'node:worker_threads';
import type { ToOpen } from '@codase/contracts';
import type { ThreadKey } from '@codase/crypto/threads';

/** The built file: a worker thread runs it even when this file is run as source. */
const ENTRY = new URL('../../dist/open/opening-thread.worker.js', import.meta.url);

/**
 * How long a thread works on one message. Longer messages wake the thread less often, but the next request waits for the two messages at
 * hand and the rest of its own. With eight values in a message, where RSA takes 3.4 ms, a value beside a flood took 94 ms longer.
 */
const MESSAGE_MS = 14;
/** How many values one message has: the least until the time of one value is known, and when the machine has much else to do. */
const TOGETHER = { least: 4, most: 16 };
/** The weight of the last message in the average time of a value. */
const LAST_COUNTS = 0.1;
/** How many messages a thread is given: it has the next one at hand when it is done with one. */
const AT_HAND = 2;

/** A sealed text, and what kind of text it is. */
export interface Sealed {
  kind: 'value' | 'wrapped_key' | 'envelope';
  text: string;
  verification?: ToOpen['verification'];
}
export interface OpenedText {
  plaintext: string;
  attested: boolean | null;
}

/** A sealed text in a message to a thread. It is a list, because names of members would be written out for each value. */
export type ToOpenThere = readonly [key: number, kind: Sealed['kind'], text: string, verification?: ToOpen['verification']];
/** The plaintext, with whether it is attested when the request asked for that, or null when the text does not open. */
export type OpenedThere = string | readonly [plaintext: string, attested: boolean] | null;
/** The texts that a thread opened for one message, and how long that took. */
export interface FromThread {
  opened: readonly OpenedThere[];
  ms: number;
}
export type ToThread = { add: number; key: ThreadKey } | { remove: number } | { open: readonly ToOpenThere[] };

/** The texts of one call of `open`. */
interface Request {
  opened: (OpenedText | undefined)[];
  left: number;
  resolve(opened: (OpenedText | undefined)[]): void;
  reject(reason: unknown): void;
}
interface Waiting {
  sealed: ToOpenThere;
  request: Request;
  nth: number;
}
/** A key that the threads hold, and the texts that wait to be opened with it. */
export class OpeningKey {
  readonly waiting: Waiting[] = [];
  isRemoved = false;

  constructor(
    readonly id: number,
    readonly key: ThreadKey,
  ) {}
}

interface Thread {
  worker: Worker;
  /** The messages that the thread has not answered, oldest first. */
  atHand: Waiting[][];
}

/**
 * Opens in worker threads on all cores, beside the thread that answers requests: RSA, AES, parsing and attestation. Several waiting texts
 * go over in one message, and the keys take turns: a request for few values with one key does not wait for the many values of another.
 */
export class OpeningThreads {
  private readonly threads: (Thread | undefined)[];
  private readonly keys = new Set<OpeningKey>();
  /** The keys for which texts wait, the next one first. */
  private readonly turns: OpeningKey[] = [];
  private waiting = 0;
  private ids = 0;
  private valueMs = MESSAGE_MS / TOGETHER.least;
  private isScheduled = false;

  constructor(count: number) {
    this.threads = Array.from({ length: count });
    for (let nth = 0; nth < count; nth++) this.threadAt(nth);
  }

  add(key: ThreadKey): OpeningKey {
    const added = new OpeningKey(++this.ids, key);
    this.keys.add(added);
    this.tellAll({ add: added.id, key });
    return added;
  }

  /** Removes a key. The threads forget it after they have got the texts that already wait for it. */
  remove(key: OpeningKey): void {
    key.isRemoved = true;
    if (key.waiting.length === 0) this.forget(key);
  }

  /** Opens all texts. A text that does not open is undefined in its place. */
  open(key: OpeningKey, sealed: readonly Sealed[]): Promise<(OpenedText | undefined)[]> {
    if (sealed.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const request = { opened: Array.from<undefined>({ length: sealed.length }), left: sealed.length, resolve, reject };
      if (key.waiting.length === 0) this.turns.push(key);
      sealed.forEach(({ kind, text, verification }, nth) =>
        key.waiting.push({ sealed: verification ? [key.id, kind, text, verification] : [key.id, kind, text], request, nth }),
      );
      this.waiting += sealed.length;
      this.schedule();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.flatMap((thread) => thread?.worker.terminate() ?? []));
  }

  /** Sends after this turn of the event loop, so that texts of other requests go along. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.send();
    });
  }

  private send(): void {
    for (let atHand = 0; atHand < AT_HAND; atHand++)
      for (let nth = 0; nth < this.threads.length && this.waiting > 0; nth++)
        if (this.threadAt(nth).atHand.length === atHand) this.sendTo(this.threadAt(nth));
  }

  /** Sends a thread no more than its share, so that all threads work on the texts of one request. */
  private sendTo({ worker, atHand }: Thread): void {
    const batch = this.take(Math.min(valuesOfMessage(this.valueMs), Math.ceil(this.waiting / this.threads.length)));
    atHand.push(batch);
    worker.ref(); // an idle thread keeps no process alive
    tell(worker, { open: batch.map(({ sealed }) => sealed) });
  }

  private take(most: number): Waiting[] {
    const taken: Waiting[] = [];
    while (taken.length < most) {
      const key = this.turns.shift()!;
      taken.push(key.waiting.shift()!);
      if (key.waiting.length > 0) this.turns.push(key);
      else if (key.isRemoved) setImmediate(() => this.forget(key)); // the message with its last text is sent before
    }
    this.waiting -= taken.length;
    return taken;
  }

  /** Returns the thread, and starts it again after it failed. */
  private threadAt(nth: number): Thread {
    return (this.threads[nth] ??= this.start(nth));
  }

  private start(nth: number): Thread {
    const worker = new Worker(ENTRY, { execArgv: [] });
    const thread: Thread = { worker, atHand: [] };
    worker.on('message', (done: FromThread) => this.settle(thread, done));
    worker.once('error', (reason) => this.fail(nth, thread, reason));
    worker.unref();
    for (const { id, key } of this.keys) tell(worker, { add: id, key });
    return thread;
  }

  private settle({ worker, atHand }: Thread, { opened, ms }: FromThread): void {
    this.valueMs += LAST_COUNTS * (ms / opened.length - this.valueMs);
    atHand.shift()!.forEach(({ request, nth }, index) => {
      request.opened[nth] = textOf(opened[index]!);
      request.left -= 1;
      if (request.left === 0) request.resolve(request.opened);
    });
    if (this.waiting > 0) this.send();
    if (atHand.length === 0) worker.unref();
  }

  private fail(nth: number, { atHand }: Thread, reason: unknown): void {
    this.threads[nth] = undefined;
    for (const { request } of atHand.flat()) request.reject(reason);
    this.send();
  }

  private forget(key: OpeningKey): void {
    if (this.keys.delete(key)) this.tellAll({ remove: key.id });
  }

  private tellAll(message: ToThread): void {
    for (const thread of this.threads) if (thread) tell(thread.worker, message);
  }
}

/** Returns how many values take as long as a message may. */
export const valuesOfMessage = (valueMs: number): number =>
  Math.max(TOGETHER.least, Math.min(TOGETHER.most, Math.floor(MESSAGE_MS / valueMs)));

function textOf(opened: OpenedThere): OpenedText | undefined {
  if (opened === null) return undefined;
  return typeof opened === 'string' ? { plaintext: opened, attested: null } : { plaintext: opened[0], attested: opened[1] };
}

const tell = (worker: Worker, message: ToThread) => worker.postMessage(message);
