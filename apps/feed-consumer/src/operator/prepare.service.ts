import { FEED, FEED_STREAM_DAYS } from '@cds/contracts';
import { ensureParkedStream, ensureStream, type Bus } from '@cds/runtime/bus';
import { migrate, type DatabaseAddress } from '@cds/runtime/db';
import { FEED_CONSUMER_MIGRATIONS } from '../migrations/index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Brings the feed consumer's database to the newest shape. Answers the names of the migrations it ran. */
export const migrateFeedConsumer = (owner: DatabaseAddress & { connectSeconds?: number }): Promise<string[]> =>
  migrate({ ...owner, name: 'feed-consumer-migrations', migrations: FEED_CONSUMER_MIGRATIONS });

/**
 * Creates the streams of the suite, but for that of outcomes, and brings those that stand up to date. The stream of events refuses new ones
 * when it is full, and the spool holds them until there is room.
 */
export async function prepareFeed(bus: Bus, { replicas = 1, maxBytes = 4 * 1024 ** 3 } = {}): Promise<void> {
  await ensureParkedStream(bus, { replicas });
  await ensureStream(bus, FEED.stream!, [FEED], { maxAgeMs: FEED_STREAM_DAYS * DAY_MS, maxBytes, replicas, batches: true });
}
