import { Inject, Injectable } from '@nestjs/common';
import { APP_EVENT_SUBJECTS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { HomeOutbox } from '../../kit/outbox/home-outbox.service.ts';
import { Peers, type Handlers } from '../peers/index.ts';
import { Home } from '../regions/index.ts';
import { storeEvents } from './events.store.ts';
import { METRICS } from './metrics.ts';
import { claimOutgoing, giveUpOutgoing, postponeOutgoing, removeOutgoing, type OutgoingEvent } from './outbox.store.ts';
import { KEPT_MS } from './app-event-retention.worker.ts';

type Subjects = typeof APP_EVENT_SUBJECTS;

/** Hands events for phones to the home regions of their persons, by their ids: what a phone gets is read when it is sent. @gap D1-1 */
@Injectable()
export class AppEventOutbox extends HomeOutbox<OutgoingEvent> implements Handlers<Subjects> {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    home: Home,
    peers: Peers,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) log: Log,
  ) {
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
        send: (region, events) => peers.call(APP_EVENT_SUBJECTS.store, region, { events: events.map(referenceOf) }),
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

  /** Stores the events that another region hands over for persons who are at home here. */
  async store({ events }: MessageOf<Subjects['store']>) {
    const stored = await this.db.transaction((tx) => storeEvents(tx, events));
    return { elsewhere: events.map(({ event_id }) => event_id).filter((event_id) => !stored.has(event_id)) };
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
