import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { failedWith, Fault } from '@codase/command-line';
import { bornAt, isAlive } from './processes.ts';

const MAX_ATTEMPTS = 100;

const Holder = z.object({ pid: z.number().int().positive(), born: z.string(), since: z.string() });
/** The process that holds a lock, since when, and the details that it gave. */
export type Holder<T = unknown> = z.infer<typeof Holder> & T;

/** A lock that is held. */
export interface Lock {
  release(): void;
}

interface ProcessLockOptions<T> {
  details: z.ZodType<T>;
  /** Returns the sentence for a process that finds the lock held. */
  refusal(holder: Holder<T>): string;
}

/** A file that one process of this machine holds at a time. It names the process, so that the lock of a dead process can be taken over. */
export class ProcessLock<T extends object> {
  constructor(
    private readonly path: string,
    private readonly options: ProcessLockOptions<T>,
  ) {}

  /** Takes the lock, or throws a Fault that names its holder. A lock that a dead process left is taken over silently. */
  take(details: T): Lock {
    const me = { pid: process.pid, born: bornAt(process.pid) ?? '', since: new Date().toISOString() };
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (createAtomically(this.path, JSON.stringify({ ...me, ...details }))) return { release: () => this.release(me.pid) };
      const { holder } = this;
      if (holder) throw new Fault(this.options.refusal(holder));
      this.removeStale(details);
    }
    throw new Fault(
      `The lock ${this.path} could not be taken in ${MAX_ATTEMPTS} attempts, since other processes take it again and again: ` +
        'look for a command that runs in a loop.',
    );
  }

  /** The process that holds the lock. Undefined when none does, or when it is dead. */
  get holder(): Holder<T> | undefined {
    const text = readText(this.path);
    const holder = text === undefined ? undefined : this.parse(text);
    return holder && isAlive(holder) ? holder : undefined;
  }

  /**
   * Removes a stale lock under a second lock (`.takeover`): two processes that find it stale could remove each other's new lock otherwise.
   * It looks again first. If the file is gone or names a living process, another process was faster, and nothing is removed.
   */
  private removeStale(details: T): void {
    const takeover = new ProcessLock(`${this.path}.takeover`, this.options).take(details);
    try {
      if (this.isStale) rmSync(this.path, { force: true });
    } finally {
      takeover.release();
    }
  }

  /** Whether the lock file exists and no living process holds it. The file is read only once. */
  private get isStale(): boolean {
    const text = readText(this.path);
    if (text === undefined) return false;
    const holder = this.parse(text);
    return !holder || !isAlive(holder);
  }

  private release(pid: number): void {
    const text = readText(this.path);
    if (text !== undefined && this.parse(text)?.pid === pid) rmSync(this.path, { force: true });
  }

  private parse(text: string): Holder<T> | undefined {
    try {
      return z.intersection(Holder, this.options.details).safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }
}

/** Creates the file with its whole content or not at all. Returns false when the file exists already. */
function createAtomically(path: string, content: string): boolean {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content, { mode: 0o644 });
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (failedWith(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return undefined;
    throw error;
  }
}
