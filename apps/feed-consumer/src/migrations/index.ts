import { Feed1763164800001 } from './1763164800001-feed.ts';
import { FeedRepairs1763164800002 } from './1763164800002-feed-repairs.ts';
import { EventsStoredOnce1763164800003 } from './1763164800003-events-stored-once.ts';

export const FEED_CONSUMER_MIGRATIONS = [Feed1763164800001, FeedRepairs1763164800002, EventsStoredOnce1763164800003];
