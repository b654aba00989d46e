import { Inject, Injectable } from '@nestjs/common';
import { CUSTOMER_FEED_SUBJECTS, FEED_RETENTION_DAYS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { HomeOutbox } from '../../kit/outbox/home-outbox.service.ts';
import { Peers, type Handlers } from '../../foundation/peers/index.ts';
import { Home, OwnMode } from '../../foundation/regions/index.ts';
import { storeCustomerEvents } from './customer-events.store.ts';
import { customerOutboxRows, type OutgoingCustomerEvent } from './customer-outbox.store.ts';
import { METRICS } from './metrics.ts';

type Subjects = typeof CUSTOMER_FEED_SUBJECTS;

/** Hands events for the own feeds of companies to their home regions, and stores those that other regions hand over. @gap D1-4.6 */
@Injectable()
export class CustomerOutbox extends HomeOutbox<OutgoingCustomerEvent> implements Handlers<Subjects> {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    home: Home,
    peers: Peers,
    mode: OwnMode,
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
          return peers.call(CUSTOMER_FEED_SUBJECTS.store, region, { events });
        },
        keptMs: FEED_RETENTION_DAYS * 24 * 60 * 60 * 1000,
        postponed: METRICS.customerEventsPostponed,
        givenUp: METRICS.customerEventsGivenUp,
        says: {
          postponed: 'events for customers wait for another region',
          givenUp: 'events for customers are given up: their region took them at no time',
        },
        rounds: {
          name: 'customer_event_outbox',
          everyMs: 1000,
          failure: 'handing over events for customers failed and is tried again',
          isPaused: () => mode.isPaused(),
        },
      },
      clock,
      log,
    );
  }

  async store({ events }: MessageOf<Subjects['store']>): Promise<{ elsewhere: string[] }> {
    const stored = await this.db.transaction((tx) => storeCustomerEvents(tx, events));
    return { elsewhere: events.map(({ event }) => event.id).filter((event_id) => !stored.has(event_id)) };
  }
}
