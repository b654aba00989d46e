import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { PdfAnswer, PdfJob } from './pdf-process-messages.ts';
import { PdfRefusal, type PdfReason } from './refusal.ts';

/** A process runs what was built, also when this file is read as source. */
const ENTRY = new URL('../dist/pdf-process-child.js', import.meta.url);
const MB = 1024 * 1024;
const WATCH_MS = 25;
/** How long a process may take until it is ready: a bound for what hangs, on a machine that is busy. */
const START_MS = 60_000;

/**
 * What subsets fonts is WebAssembly: to optimise it takes a second of CPU in each process. A page with letters beyond Latin then takes a
 * tenth less, which pays after a thousand of them; other pages take more.
 */
const WASM_AS_IT_COMES = '--liftoff-only';

type PdfResult = Extract<PdfAnswer, { ok: true }>['result'];

export interface PdfProcessLimits {
  /** How long one job may take. */
  timeoutMs: number;
  /** How much memory the process may have while it works, its fonts included. */
  memoryBytes: number;
  /** How much of it may be objects of JavaScript. */
  heapBytes: number;
}

export const PDF_PROCESS_LIMITS: Readonly<PdfProcessLimits> = { timeoutMs: 20_000, memoryBytes: 512 * MB, heapBytes: 192 * MB };

/** Somebody else killed the process, as a system does that has too little memory: that says nothing of the PDF. */
class KilledByOthers extends Error {}

/** One process that reads PDFs, a job at a time. It is started for the first job, and anew after it was killed. */
export class PdfProcess {
  readonly #limits: PdfProcessLimits;
  readonly #entry: URL;
  #child: ChildProcess | undefined;
  #isStopped = false;
  #fail: (error: Error) => void = () => {};

  constructor(limits: PdfProcessLimits, entry: URL = ENTRY) {
    this.#limits = limits;
    this.#entry = entry;
  }

  /** The process, while there is one. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Does a job, or refuses with its reason: what the process says, or why it was killed. Where somebody else killed it, another one does
   * the job; a PDF that costs two processes their lives is refused.
   */
  async run(job: PdfJob): Promise<PdfResult> {
    const ended = (error: unknown) => {
      throw error instanceof KilledByOthers ? new PdfRefusal('too_complex', 'the process was killed twice') : error;
    };
    return this.#runOnce(job).catch((error: unknown) => (error instanceof KilledByOthers ? this.#runOnce(job).catch(ended) : ended(error)));
  }

  async #runOnce(job: PdfJob): Promise<PdfResult> {
    if (this.#isStopped) throw stopped();
    if (this.#child?.connected === false) this.#child = undefined;
    const child = this.#child ?? (await this.#start());
    child.ref();
    child.channel?.ref();
    try {
      const answer = await this.#answer(child, job);
      if (!answer.ok) throw new PdfRefusal(answer.reason, answer.detail);
      return answer.result;
    } finally {
      child.unref(); // idle it keeps nobody alive
      child.channel?.unref();
    }
  }

  /** Ends the process for good. A job under way fails: nothing is known of its PDF. */
  stop(): void {
    this.#isStopped = true;
    this.#fail(stopped());
    this.#kill();
  }

  #kill(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  /** It is our child from the fork on, so that it is killed while it starts too: by `stop`, or when it does not get ready in time. */
  #start(): Promise<ChildProcess> {
    const child = fork(this.#entry, [], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${Math.ceil(this.#limits.heapBytes / MB)}`, WASM_AS_IT_COMES],
      env: {}, // no secret of ours, and no setting
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child = child;
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined; // while idle, too: the next job starts another one
    });
    return new Promise((resolve, reject) => {
      const over = () => {
        clearTimeout(deadline);
        child.off('message', onMessage).off('exit', onExit).off('error', onExit);
        this.#fail = () => {};
      };
      this.#fail = (error) => {
        over();
        reject(error);
      };
      const onExit = () => {
        if (this.#child === child) this.#kill();
        this.#fail(new Error('The process that reads PDFs did not start.'));
      };
      const onMessage = () => {
        over();
        resolve(child);
      };
      const deadline = setTimeout(onExit, START_MS);
      child.once('message', onMessage).once('exit', onExit).once('error', onExit);
    });
  }

  #answer(child: ChildProcess, job: PdfJob): Promise<PdfAnswer> {
    return new Promise((resolve, reject) => {
      const over = () => {
        clearTimeout(deadline);
        clearInterval(watch);
        child.off('message', onMessage).off('exit', onExit);
        this.#fail = () => {};
      };
      const settle = (answer: PdfAnswer) => {
        over();
        resolve(answer);
      };
      const fail = (error: Error) => {
        if (this.#fail !== fail) return; // it is over
        over();
        reject(error);
      };
      this.#fail = fail;
      const end = (reason: PdfReason, detail: string) => {
        if (this.#child === child) this.#kill();
        settle({ ok: false, reason, detail });
      };
      const deadline = setTimeout(() => end('timeout', `more than ${this.#limits.timeoutMs} ms`), this.#limits.timeoutMs);
      const watch = setInterval(() => {
        if (residentBytes(child) > this.#limits.memoryBytes) end('too_complex', `more than ${this.#limits.memoryBytes} bytes of memory`);
      }, WATCH_MS);
      const onMessage = (answer: unknown) => settle(answer as PdfAnswer);
      const onKilled = () => {
        if (this.#child === child) this.#kill();
        fail(new KilledByOthers());
      };
      const onExit = (_code: number | null, signal: NodeJS.Signals | null) =>
        signal === 'SIGKILL' ? onKilled() : end('too_complex', 'the process ended');
      child.once('message', onMessage).once('exit', onExit);
      child.send(job, (error) => error && onKilled()); // it ended before it was given the job
    });
  }
}

const stopped = () => new Error('The process that reads PDFs was stopped.');

/** What a process has in memory; 0 where the system does not say it by a file, and then its own limits must do. */
function residentBytes({ pid }: ChildProcess): number {
  try {
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
