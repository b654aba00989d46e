import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import type { Log } from '@codase/runtime/telemetry';

export interface Schedule {
  /** The name under which failed rounds are counted. */
  name: string;
  everyMs: number;
  /** The pause after a round that returns false because there was nothing to do. When it is absent, that pause is as long as any other. */
  idleMs?: number;
  /** What the log says when a round failed: a constant, never data. */
  failure: string;
}

/** Does a round of work when the process has started, and again after each pause. Stopping waits for the round under way. */
export abstract class PeriodicWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private rounds: Repeated | undefined;

  constructor(
    /** Without one, somebody else makes the rounds. */
    private readonly schedule: Schedule | undefined,
    protected readonly log: Log,
  ) {}

  abstract round(): Promise<unknown>;

  onApplicationBootstrap(): void {
    if (!this.schedule) return;
    const { name, everyMs, idleMs = everyMs, failure } = this.schedule;
    this.rounds = repeat(() => this.round(), {
      name,
      pauseMs: (found) => (found === false ? idleMs : everyMs),
      backoff: { firstMs: everyMs, longestMs: everyMs },
      onFailure: (error) => this.log.error(failure, { error }),
    });
  }

  /** Begins the next round without waiting for the end of the pause, because there is something new to do. */
  wake(): void {
    this.rounds?.wake();
  }

  /** Waits for the current round before the bus and the database close, since a round may use both. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.rounds?.stop();
  }
}
