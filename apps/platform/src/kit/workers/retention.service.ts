import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { many, type Db, type Sql } from '@codase/runtime/db';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { count, type Log, type Metric } from '@codase/runtime/telemetry';

const EVERY_MS = 60_000;
/** How many rows one statement deletes: it locks few rows, so others do not wait long for it. */
const BATCH = 1000;
/** How many batches one round deletes. The rest waits for the next round. */
const BATCHES = 20;

interface RetentionOptions {
  /** The name of the sweep in logs and traces. */
  name: string;
  /** Returns a statement that deletes at most `most` rows that are too old and returns one row for each. */
  expired: (most: number) => Sql;
  deleted: Metric<'counter'>;
  /** Whether writes are paused now. */
  isPaused?: () => boolean;
}

/** Deletes rows that are kept no longer, by the clock, in bounded batches. Replicas skip rows that another replica is deleting. */
export abstract class Retention implements OnApplicationBootstrap, OnApplicationShutdown {
  private sweeping: Repeated | undefined;

  constructor(
    private readonly db: Db,
    private readonly log: Log,
    private readonly options: RetentionOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeping = repeat(() => this.sweep(), {
      name: this.options.name,
      pauseMs: EVERY_MS,
      onFailure: (error) => this.log.error('rows that are too old could not be deleted', { 'codase.check': this.options.name, error }),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeping?.stop();
  }

  /** Deletes rows that are too old. Returns how many were deleted. */
  async sweep(): Promise<number> {
    if (this.options.isPaused?.()) return 0;
    let gone = 0;
    for (let batch = 0; batch < BATCHES; batch++) {
      const rows = await many(this.db, this.options.expired(BATCH));
      gone += rows.length;
      if (rows.length === 0) break;
    }
    if (gone > 0) count(this.options.deleted, {}, gone);
    return gone;
  }
}
