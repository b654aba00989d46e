import { CUSTOMER_FEED_SUBJECTS } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import type { Capability } from '../../kit/capability.ts';
import { Feed1763164800005 } from '../../migrations/region/1763164800005-feed.ts';
import { SettledBeforeLeaving1763164800013 } from '../../migrations/region/1763164800013-settled-before-leaving.ts';
import { CustomerEvents1763164800049 } from '../../migrations/region/1763164800049-customer-events.ts';
import { FeedDaysAlone1763164800090 } from '../../migrations/region/1763164800090-feed-days-alone.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { BASES, FrontDoorRequests, HERE, Home, REGIONS, type Bases, type Here } from '../../foundation/regions/index.ts';
import { ChangesHttp } from './changes.http.ts';
import { CustomerChangesHttp } from './customer-changes.http.ts';
import { CustomerOutbox } from './customer-outbox.service.ts';
import { DRAIN_WRITES, Drains, DRAINS_AT_ONCE } from './drains.service.ts';
import { FeedPartitions } from './feed-partitions.worker.ts';
import { SLOTS } from './slots.hook.ts';
import { METRICS } from './metrics.ts';
import { FeedEventEntity, CustomerEventOutboxEntity, FeedLeaseEntity } from './feed-event.entity.ts';

/** What has a channel of its own: services, webhooks, and companies that are customers. */
const CHANNELS = ['service', 'webhook', 'profile'];
const DRAIN_DB = Symbol('connections of drains');

/** Writes of drains go through a `Home` like all others, with a database pool of their own. */
const drainWrites = (db: DataSource, frontDoor: FrontDoorRequests, bases: Bases, here: Here) => new Home(db, frontDoor, bases, here);

/** The change feed of a service, the queues of its webhooks, and the own feed of a company that is a customer. @spec D1-4.3 @spec D1-4.6 */
export const FEED: Capability = {
  name: 'feed',
  uses: [REGIONS, PEERS],
  tables: {
    region: [
      { entity: FeedEventEntity, moves: { owner: 'company_user_id', key: 'id', arrived: 'feed_reach', names: { channel: CHANNELS } } },
      { entity: FeedLeaseEntity, moves: { owner: 'company_user_id', key: 'channel', names: { channel: CHANNELS } } },
      { entity: CustomerEventOutboxEntity, stays: 'handed over from where it was written, wherever the company lives by then' },
    ],
  },
  reads: {
    profile: 'leases of companies that do not exist any more are deleted with the old ones, in one statement',
    webhook: 'an event is queued for its webhooks in one statement: one made a moment later has missed it, one disabled before gets none',
  },
  afterRestore: { region: { nothing: 'events that waited in the copy are delivered, perhaps once more: consumers know their ids' } },
  migrations: { region: [Feed1763164800005, SettledBeforeLeaving1763164800013, CustomerEvents1763164800049, FeedDaysAlone1763164800090] },
  metrics: METRICS,
  offers: [SLOTS],
  parts: {
    region: {
      http: [ChangesHttp, CustomerChangesHttp],
      bus: [answeredBy(CUSTOMER_FEED_SUBJECTS, CustomerOutbox)],
      workers: [FeedPartitions, CustomerOutbox],
      providers: [Drains, { provide: DRAIN_WRITES, useFactory: drainWrites, inject: [DRAIN_DB, FrontDoorRequests, BASES, HERE] }],
      pools: [{ as: DRAIN_DB, name: 'drains', size: DRAINS_AT_ONCE }],
    },
  },
};
