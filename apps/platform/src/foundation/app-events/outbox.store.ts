import { execute, many, sql, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { EventRow } from './events.store.ts';

/** The channel of Postgres on which the replicas of the region learn that the outbox has new events. */
export const OUTBOX_NOTIFICATION = 'app_event_outbox';

/** An event that another region is still to store. */
export interface OutgoingEvent extends Omit<EventRow, 'created_at'> {
  created_at: Date;
  attempts: number;
}

/** Adds events to the outbox, in the transaction that makes them. */
export const addToOutbox = (tx: EntityManager, events: readonly EventRow[]) =>
  many(
    tx,
    sql`
    with added as (
      insert into app_event_outbox (event_id, person_user_id, company_user_id, kind, object_id, created_at, traceparent, next_at)
      select event_id, person_user_id, company_user_id, kind, object_id, created_at, traceparent, '-infinity'
        from json_to_recordset(${JSON.stringify(events)}) as n (
          event_id text, person_user_id text, company_user_id text, kind text, object_id text, created_at timestamptz, traceparent text)
      returning 1)
    select pg_notify(${OUTBOX_NOTIFICATION}, '') from added limit 1`,
  );

/** Takes events whose attempt is due, the oldest first. No other replica takes them before `until`. */
export async function claimOutgoing(db: Db, now: Date, until: Date, most: number): Promise<OutgoingEvent[]> {
  const claimed = await many<OutgoingEvent>(
    db,
    sql`
    update app_event_outbox set attempts = attempts + 1, next_at = ${until}
     where event_id in (
       select event_id from app_event_outbox where next_at <= ${now} order by next_at, created_at limit ${most} for update skip locked)
    returning event_id, person_user_id, company_user_id, kind, object_id, created_at, traceparent, attempts`,
  );
  return claimed.toSorted((one, other) => one.created_at.getTime() - other.created_at.getTime());
}

export const removeOutgoing = (db: Db, event_ids: readonly string[]) =>
  execute(db, sql`delete from app_event_outbox where event_id = any (${event_ids})`);

export const postponeOutgoing = (db: Db, event_ids: readonly string[], next_at: Date) =>
  execute(db, sql`update app_event_outbox set next_at = ${next_at} where event_id = any (${event_ids})`);

/** Deletes events that no region took in all the time for which they are kept. Returns one row for each. */
export const giveUpOutgoing = (db: Db, before: Date) =>
  many(db, sql`delete from app_event_outbox where created_at <= ${before} returning 1`);
