import { Inject, Injectable } from '@nestjs/common';
import { APP_EVENT_SUBJECTS } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { HomeOutbox } from '../../kit/outbox/home-outbox.service.ts';
import { Home } from '../regions/index.ts';
import { METRICS } from './metrics.ts';
import { claimOutgoing, giveUpOutgoing, postponeOutgoing, removeOutgoing, type OutgoingEvent } from './outbox.store.ts';
import { KEPT_MS } from './retention.worker.ts';

/** Hands events for phones to the home regions of their persons, by their ids: what a phone gets is read when it is sent. @gap D1-1 */
@Injectable()
export class AppEventOutbox extends HomeOutbox<OutgoingEvent> {
  constructor(@Inject(REGION_DB) db: DataSource, home: Home, bus: Bus, @Inject(CLOCK) clock: Clock, @Inject(LOG) log: Log) {
    const rows = {
      claim: (now: Date, until: Date, most: number) => claimOutgoing(db, now, until, most),
      remove: (event_ids: readonly string[]) => removeOutgoing(db, event_ids),
      postpone: (event_ids: readonly string[], next_at: Date) => postponeOutgoing(db, event_ids, next_at),
      giveUp: (before: Date) => giveUpOutgoing(db, before),
    };
    super(
      {
        rows,
        userOf: ({ person_user_id }) => person_user_id,
        regionOf: (user_id) => home.regionOf(user_id),
        send: (region, events) => bus.request(APP_EVENT_SUBJECTS.store, { region }, { events: events.map(referenceOf) }),
        keptMs: KEPT_MS,
        postponed: METRICS.appEventsPostponed,
        givenUp: METRICS.appEventsGivenUp,
        says: {
          postponed: 'events for phones wait for another region',
          givenUp: 'events for phones are given up: their region took them at no time',
        },
      },
      clock,
      log,
    );
  }
}

const referenceOf = ({ event_id, person_user_id, company_user_id, kind, object_id, created_at, traceparent }: OutgoingEvent) => ({
  event_id,
  person_user_id,
  company_user_id,
  kind,
  object_id,
  created_at: created_at.toISOString(),
  traceparent,
});
