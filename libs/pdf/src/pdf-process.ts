import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { PdfAnswer, PdfJob } from './pdf-process-messages.ts';
import { PdfRefusal, type PdfReason } from './refusal.ts';
import { sandboxFlags } from './sandbox.ts';

/** The built program of the child process, also when this file runs from source. */
const ENTRY = new URL('../dist/pdf-process-child.js', import.meta.url);
const MB = 1024 * 1024;
const WATCH_MS = 25;
/** Linux counts the CPU time of a process in hundredths of a second, whatever the machine. */
const TICK_MS = 10;
/** Signals by which a person, a system that is short of memory, or a system that shuts down ends a process. */
const FROM_OUTSIDE = new Set<NodeJS.Signals | null>(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']);
/** How long a process may take to become ready. The bound is wide because the machine may be busy, and is meant for processes that hang. */
const START_MS = 60_000;

/**
 * Keeps V8 from optimising the WebAssembly that makes font subsets: optimising takes a second of CPU in each process. It saves a tenth of
 * the time of a page with letters beyond Latin, which pays off only after a thousand such pages. Other pages take longer with it.
 */
const WASM_AS_IT_COMES = '--liftoff-only';

type PdfResult = Extract<PdfAnswer, { ok: true }>['result'];

export interface PdfProcessLimits {
  /** How much CPU time one job may take. Where the system does not tell it, the job may take so much time altogether. */
  timeoutMs: number;
  /** How long one job may take on a machine that gives its process little CPU time. */
  wallMs: number;
  /** How much memory the process may use during a job, its fonts included. */
  memoryBytes: number;
  /** How much of that memory may be the JavaScript heap. */
  heapBytes: number;
}

export const PDF_PROCESS_LIMITS: Readonly<PdfProcessLimits> = {
  timeoutMs: 20_000,
  wallMs: 60_000,
  memoryBytes: 512 * MB,
  heapBytes: 192 * MB,
};

/**
 * Thrown when this machine cannot do a job now: too many jobs wait already, or the process gets too little CPU time or is killed from
 * outside. This says nothing about the PDF, so the job may be tried again later.
 */
export class PdfProcessesBusy extends Error {
  override readonly name = 'PdfProcessesBusy';
}

/** Thrown when something outside this class killed the process, for example a system that is short of memory. */
class KilledByOthers extends PdfProcessesBusy {}

/** One process that reads PDFs, one job at a time. It is started for the first job, and again after it was killed. */
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

  /** The id of the process while it runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Does a job, or throws the process's refusal or why it was killed. Killed from outside, the job runs once more in a new one. */
  async run(job: PdfJob): Promise<PdfResult> {
    return this.#runOnce(job).catch((error: unknown) => {
      if (error instanceof KilledByOthers) return this.#runOnce(job);
      throw error;
    });
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
      child.unref(); // an idle child does not keep this process alive
      child.channel?.unref();
    }
  }

  /** Ends the process for good. A job under way fails, without a verdict on its PDF. */
  stop(): void {
    this.#isStopped = true;
    this.#fail(stopped());
    this.#kill();
  }

  #kill(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  /** Starts the process. `#child` is set directly after the fork, so that it can be killed while it starts: by `stop`, or late. */
  #start(): Promise<ChildProcess> {
    const child = fork(this.#entry, [], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${Math.ceil(this.#limits.heapBytes / MB)}`, WASM_AS_IT_COMES, ...sandboxFlags(this.#entry)],
      env: {}, // the child gets no secret and no setting
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child = child;
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined; // also when idle: the next job starts another process
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
        if (this.#fail !== fail) return; // the job is settled already
        over();
        reject(error);
      };
      this.#fail = fail;
      const end = (reason: PdfReason, detail: string) => {
        if (this.#child === child) this.#kill();
        settle({ ok: false, reason, detail });
      };
      const { timeoutMs, wallMs, memoryBytes } = this.#limits;
      const cpuBefore = cpuMsOf(child);
      const late = () => end('timeout', `more than ${timeoutMs} ms`);
      const starved = () => {
        if (this.#child === child) this.#kill();
        fail(new PdfProcessesBusy(`The process that reads PDFs got too little CPU time for ${wallMs} ms.`));
      };
      const deadline = cpuBefore === undefined ? setTimeout(late, timeoutMs) : setTimeout(starved, wallMs);
      const watch = setInterval(() => {
        if (residentBytes(child) > memoryBytes) end('too_complex', `more than ${memoryBytes} bytes of memory`);
        else if ((cpuMsOf(child) ?? 0) - (cpuBefore ?? 0) > timeoutMs) late();
      }, WATCH_MS);
      const onMessage = (answer: unknown) => settle(answer as PdfAnswer);
      const onKilled = () => {
        if (this.#child === child) this.#kill();
        fail(new KilledByOthers('The process that reads PDFs was killed.'));
      };
      const onExit = (_code: number | null, signal: NodeJS.Signals | null) =>
        FROM_OUTSIDE.has(signal) ? onKilled() : end('too_complex', 'the process ended');
      child.once('message', onMessage).once('exit', onExit);
      child.send(job, (error) => error && onKilled()); // the process ended before it received the job
    });
  }
}

const stopped = () => new Error('The process that reads PDFs was stopped.');

/** Returns the resident memory of a process. Returns 0 when the system has no such file, and then only the heap limit applies. */
function residentBytes({ pid }: ChildProcess): number {
  try {
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Returns the CPU time that a process has used, or undefined when the system has no such file. */
function cpuMsOf({ pid }: ChildProcess): number | undefined {
  try {
    // The second value, the name of the program, stands in brackets and may have blanks.
    const [, afterName = ''] = /\) ([^)]*)$/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    const numbers = afterName.split(' ');
    return (Number(numbers[11]) + Number(numbers[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}
