import { Inject, Injectable } from '@nestjs/common';
import { CUSTOMER_FEED_SUBJECTS, FEED_RETENTION_DAYS } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { HomeOutbox } from '../../kit/outbox/home-outbox.service.ts';
import { HERE, Home, type Here } from '../../foundation/regions/index.ts';
import { CustomerFeed } from './customer-feed.service.ts';
import { customerOutboxRows, type OutgoingCustomerEvent } from './customer-outbox.store.ts';
import { METRICS } from './metrics.ts';

/** Sends events to the home regions of companies that are customers of services in this region. @gap D1-4.6 */
@Injectable()
export class CustomerOutbox extends HomeOutbox<OutgoingCustomerEvent> {
  constructor(
    @Inject(REGION_DB) db: DataSource,
    home: Home,
    bus: Bus,
    feed: CustomerFeed,
    @Inject(HERE) here: Here,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super(
      {
        rows: customerOutboxRows(db),
        userOf: ({ user_id }) => user_id,
        regionOf: (user_id) => home.regionOf(user_id),
        send: (region, outgoing) => {
          const events = outgoing.map(({ user_id, event, traceparent }) => ({ user_id, event, traceparent }));
          // A company that was moving when the event was created may have arrived in this region.
          if (here.base === 'region' && here.region === region) return feed.store(events);
          return bus.request(CUSTOMER_FEED_SUBJECTS.store, { region }, { events });
        },
        keptMs: FEED_RETENTION_DAYS * 24 * 60 * 60 * 1000,
        postponed: METRICS.customerEventsPostponed,
        givenUp: METRICS.customerEventsGivenUp,
        says: {
          postponed: 'events for customers wait for another region',
          givenUp: 'events for customers are given up: their region took them at no time',
        },
      },
      clock,
      log,
    );
  }
}
