import { setTimeout as sleep } from 'node:timers/promises';

/** How long a server may take to end after each signal. */
const GRACE_MS = 10_000;

/** A server of ours while it runs, as a process of this machine or in a container. */
export abstract class RunningServer {
  /** Its process number on this machine; 0 where it has none here. */
  abstract readonly pid: number;
  /** The process number it knows itself by. */
  abstract readonly ownPid: number;
  /** How it ended, in words, once it has. */
  abstract readonly exited: Promise<string>;
  /** Where its part of the log begins. */
  abstract readonly logStart: number;
  /** How it ended; undefined while it runs. */
  abstract readonly end: string | undefined;
  private readonly signals: readonly NodeJS.Signals[];

  /** The signals that ask it to end, the polite one first. */
  protected constructor(signals: readonly NodeJS.Signals[]) {
    this.signals = signals;
  }

  abstract signal(signal: NodeJS.Signals): void;

  /** Resolves when it has ended, one way or the other. */
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
