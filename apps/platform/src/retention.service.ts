import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { many, type Db, type Sql } from '@cds/runtime/db';
import { repeat, type Repeated } from '@cds/runtime/resilience';
import { count, type Log, type Metric } from '@cds/runtime/telemetry';

const EVERY_MS = 60_000;
/** Rows of one statement: none holds many, and nobody waits long for it. */
const BATCH = 1000;
/** What is left when they are used up waits for the next round. */
const BATCHES = 20;

export interface RetentionOptions {
  /** As logs and traces call the sweep. */
  name: string;
  /** Deletes at most so many rows that are too old, and returns one row for each. */
  expired: (most: number) => Sql;
  deleted: Metric<'counter'>;
  /** Whether nothing may be written now. */
  isPaused?: () => boolean;
}

/** Deletes what is older than it is kept, by the clock, in bounded batches. Replicas pass over each other's rows. */
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
      onFailure: (error) => this.log.error('rows that are too old could not be deleted', { 'cds.check': this.options.name, error }),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeping?.stop();
  }

  /** Answers how many rows went. */
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
