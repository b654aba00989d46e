import { FEED, FEED_STREAM_DAYS } from '@codase/contracts';
import { ensureParkedStream, ensureStream, type Bus } from '@codase/runtime/bus';
import { migrate, type DatabaseAddress } from '@codase/runtime/db';
import { FEED_CONSUMER_MIGRATIONS } from '../migrations/index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Brings the feed consumer's database to the newest shape. Returns the names of the migrations it ran. */
export const migrateFeedConsumer = (owner: DatabaseAddress & { connectSeconds?: number }): Promise<string[]> =>
  migrate({ ...owner, name: 'feed-consumer-migrations', migrations: FEED_CONSUMER_MIGRATIONS });

/**
 * Creates the streams of the suite, except the stream of outcomes, and brings existing streams up to date. When the stream of events is
 * full, it refuses new events, and the spool keeps them until the stream has space again.
 */
export async function prepareFeed(bus: Bus, { replicas = 1, maxBytes = 4 * 1024 ** 3 } = {}): Promise<void> {
  await ensureParkedStream(bus, { replicas });
  await ensureStream(bus, FEED.stream!, [FEED], { maxAgeMs: FEED_STREAM_DAYS * DAY_MS, maxBytes, replicas, batches: true });
}
