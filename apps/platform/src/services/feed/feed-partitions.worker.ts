import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { one, type Db } from '@codase/runtime/db';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { REGION_DB } from '../../kit/databases.ts';
import { forgetLeases, oldestKept } from './channel.store.ts';

const EVERY_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_AHEAD = 3;
/** How much longer a partition stays: hourly the delivery counts and logs what a webhook is about to lose, before the drop. */
const LINGER_MS = 2 * 60 * 60 * 1000;

/** Creates the partitions of the next days and drops those that are over, a minute later if the table is busy. @spec D1-8 */
@Injectable()
export class FeedPartitions implements OnApplicationBootstrap, OnApplicationShutdown {
  private rotation: Repeated | undefined;

  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.rotation = repeat(() => this.rotate(), {
      name: 'feed_partitions',
      pauseMs: EVERY_MS,
      onFailure: (error) => this.log.warn('the partitions of the feed are left for the next minute', { error }),
    });
    await this.rotation.first;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rotation?.stop();
  }

  /** Creates and drops partitions and deletes old leases; no failure keeps the others from their turn. A day also stays `LINGER_MS`. */
  async rotate(): Promise<void> {
    const now = this.clock.now();
    const ahead = new Date(now.getTime() + DAYS_AHEAD * DAY_MS);
    const ends = await Promise.allSettled([
      one(this.db)`select feed_make_days(${dayOf(now)}::date, ${dayOf(ahead)}::date)`,
      one(this.db)`select feed_drop_days(${dayOf(new Date(oldestKept(now).getTime() - LINGER_MS))}::date)`,
      forgetLeases(this.db, now),
    ]);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
