import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a server may take to end after each signal. */
const GRACE_MS = 10_000;

/** A running server that this process started, as a process of this machine or in a container. */
export abstract class RunningServer {
  /** Its process number on this machine; 0 when it has none here. */
  abstract readonly pid: number;
  /** Its process number as the server itself sees it. */
  abstract readonly ownPid: number;
  /** How the server ended, in words, once it has ended. */
  abstract readonly exited: Promise<string>;
  /** The position in the log at which the lines of this run begin. */
  abstract readonly logStart: number;
  /** How the server ended, in words; undefined while it runs. */
  abstract readonly end: string | undefined;

  /** The signals that ask the server to end, the gentlest first. */
  protected constructor(private readonly signals: readonly NodeJS.Signals[]) {}

  abstract signal(signal: NodeJS.Signals): void;

  /** Sends the signals one after the other, until the server has ended. */
  async stop(): Promise<void> {
    for (const signal of this.signals) {
      this.signal(signal);
      const timer = new AbortController();
      const timeout = sleep(GRACE_MS, 'timeout', { signal: timer.signal }).catch(() => 'timeout');
      const outcome = await Promise.race([this.exited, timeout]);
      timer.abort();
      if (outcome !== 'timeout') return;
    }
  }
}

/** A server that this process started and may start again: each run of it is another `RunningServer`. */
export abstract class StartedServer<Site extends { dir: string; temporary: boolean }> {
  version = '';

  protected constructor(
    protected readonly site: Site,
    protected process: RunningServer,
    readonly log: string,
  ) {}

  /** The folder that holds all files of the server. */
  get dir(): string {
    return this.site.dir;
  }

  get pid(): number {
    return this.process.pid;
  }

  /** How this run of the server ended, in words, once it has ended. */
  get exited(): Promise<string> {
    return this.process.exited;
  }

  async stop(): Promise<void> {
    await this.process.stop();
    if (this.site.temporary) await rm(this.dir, { recursive: true, force: true });
  }

  /** Ends the server as a crash would. */
  kill(): void {
    this.process.signal('SIGKILL');
  }
}
