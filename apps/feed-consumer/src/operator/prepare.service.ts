import { FEED, FEED_STREAM_DAYS } from '@cds/contracts';
import { ensureStream, type Bus } from '@cds/runtime/bus';
import { migrate } from '@cds/runtime/db';
import { FEED_CONSUMER_MIGRATIONS } from '../migrations/index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Brings the feed consumer's database to the newest shape. Answers the names of the migrations it ran. */
export const migrateFeedConsumer = ({ url }: { url: string }): Promise<string[]> =>
  migrate({ url, name: 'feed-consumer-migrations', migrations: FEED_CONSUMER_MIGRATIONS });

/** Creates the stream of events: full, it refuses new ones, and the spool holds them until there is room. */
export const prepareFeed = (bus: Bus, { replicas = 1, maxBytes = 4 * 1024 ** 3 } = {}): Promise<void> =>
  ensureStream(bus, FEED.stream!, [FEED], { maxAgeMs: FEED_STREAM_DAYS * DAY_MS, maxBytes, replicas, batches: true });
