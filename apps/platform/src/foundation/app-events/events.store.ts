import { APP_EVENTS_KEPT, type AppEventReference } from '@codase/contracts';
import { execute, many, prepared, sql, type Sql } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { newId } from '../../kit/ids.ts';

export type EventRow = z.output<typeof AppEventReference>;

/** The channel of Postgres on which all replicas of the region learn which persons have new events. @gap D1-1 */
export const APP_EVENT_NOTIFICATION = 'app_event';

/**
 * Stores the events of persons who are at home here, and wakes their streams after the commit. Returns the ids of the stored events,
 * including those that were stored before. Persons are locked in one order, so that two transactions with events for several persons do not
 * wait for each other.
 */
export async function storeEvents(tx: EntityManager, events: readonly EventRow[]): Promise<ReadonlySet<string>> {
  const persons = [...new Set(events.map(({ person_user_id }) => person_user_id))];
  const stored = await many<{ event_id: string }>(
    tx,
    prepared(
      'app_event_store',
      sql`
      with news as (
        select n.*, e.event_id is not null as is_stored
          from rows from (json_to_recordset(${JSON.stringify(events)}) as (
            event_id text, person_user_id text, company_user_id text, kind text, object_id text, created_at timestamptz, traceparent text
          )) with ordinality n
          join profile p on p.user_id = any (${persons}) and p.user_id = n.person_user_id and p.home = 'here'
          left join app_event e on e.event_id = n.event_id),
      logs as (
        insert into app_event_log as l (person_user_id, log_id, last_seq)
        select person_user_id, ${newId('log')}, count(*) from news where not is_stored group by person_user_id order by person_user_id
        on conflict (person_user_id) do update set last_seq = l.last_seq + excluded.last_seq
        returning person_user_id, last_seq),
      added as (
        insert into app_event (person_user_id, seq, event_id, company_user_id, kind, object_id, created_at, traceparent)
        select n.person_user_id, l.last_seq + 1 - row_number() over (partition by n.person_user_id order by n.ordinality desc),
               n.event_id, n.company_user_id, n.kind, n.object_id, n.created_at, n.traceparent
          from news n join logs l on l.person_user_id = n.person_user_id
         where not n.is_stored),
      trimmed as (
        delete from app_event e using logs l
         where e.person_user_id = l.person_user_id and e.seq <= l.last_seq - ${APP_EVENTS_KEPT.per_person}::bigint),
      notified as (select pg_notify(${APP_EVENT_NOTIFICATION}, person_user_id) from logs)
      select event_id from news where (select count(*) from notified) >= 0`,
    ),
  );
  return new Set(stored.map(({ event_id }) => event_id));
}

/**
 * Gives every log a new id after a restore, because numbers are then given a second time. Phones that know numbers of the old `log_id` read
 * their lists.
 */
export const renewLogs = (tx: EntityManager) => execute(tx, sql`update app_event_log set log_id = ${newId('log')}`);

/** Deletes events that are kept no longer. */
export const deleteOldEvents = (before: Date, most: number): Sql => sql`
  delete from app_event where event_id in
    (select event_id from app_event where created_at <= ${before} limit ${most} for update skip locked)
  returning 1`;
