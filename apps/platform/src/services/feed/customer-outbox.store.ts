import { execute, many, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { OutboxRows } from '../../kit/outbox/home-outbox.service.ts';
import type { CustomerEventRow } from './customer-event.ts';

/** An event that the home region of its customer has still to store. */
export interface OutgoingCustomerEvent extends CustomerEventRow {
  event_id: string;
  attempts: number;
}

/** Adds events to the outbox, in the transaction that creates them. */
export const addToCustomerOutbox = (tx: EntityManager, events: readonly CustomerEventRow[]) => execute(tx)`
  insert into customer_event_outbox (event_id, user_id, event, created_at, traceparent, next_at)
  select event ->> 'id', user_id, event, (event ->> 'at')::timestamptz, traceparent, '-infinity'
    from json_to_recordset(${JSON.stringify(events)}) as n (user_id text, event json, traceparent text)`;

export const customerOutboxRows = (db: Db): OutboxRows<OutgoingCustomerEvent> => ({
  async claim(now, until, most) {
    const claimed = await many<OutgoingCustomerEvent>(db)`
      update customer_event_outbox set attempts = attempts + 1, next_at = ${until}
       where event_id in (
         select event_id from customer_event_outbox where next_at <= ${now} order by next_at, created_at limit ${most}
           for update skip locked)
      returning event_id, user_id, event, traceparent, attempts`;
    return claimed.toSorted((one, other) => (one.event.at < other.event.at ? -1 : 1));
  },
  remove: (event_ids) => execute(db)`delete from customer_event_outbox where event_id = any (${event_ids})`,
  postpone: (event_ids, next_at) => execute(db)`update customer_event_outbox set next_at = ${next_at} where event_id = any (${event_ids})`,
  giveUp: (before) => many(db)`delete from customer_event_outbox where created_at <= ${before} returning 1`,
});
