import { CustomerEvent, customerCollapseKey } from '@codase/contracts';
import { forEveryCompany, many } from '@codase/runtime/db';
import { activeTraceparent } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { newId } from '../../kit/ids.ts';
import type { CustomerEventRow, NewCustomerEvent } from './customer-event.ts';
import { addToCustomerOutbox } from './customer-outbox.store.ts';

/**
 * Queues events for the own feeds of companies, in the transaction of the change that they report: both are committed, or neither. It works
 * in any region: events of companies that are at home elsewhere, or are moving, go to the outbox. @spec D1-4.6
 */
export async function emitCustomerEvents(tx: EntityManager, events: readonly NewCustomerEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = rowsOf(events);
  const stored = await storeCustomerEvents(tx, rows);
  const others = rows.filter(({ event }) => !stored.has(event.id));
  if (others.length > 0) await addToCustomerOutbox(tx, others);
}

/** Queues events for any number of companies, all by the outbox: each home that a transaction holds is a lock, and these are limited. */
export async function emitManyCustomerEvents(tx: EntityManager, events: readonly NewCustomerEvent[]): Promise<void> {
  if (events.length > 0) await addToCustomerOutbox(tx, rowsOf(events));
}

function rowsOf(events: readonly NewCustomerEvent[]): CustomerEventRow[] {
  const traceparent = activeTraceparent();
  return events.map(({ customer_user_id: user_id, event }) => ({
    user_id,
    event: CustomerEvent.parse({ id: newId('cevt'), ...event }),
    traceparent,
  }));
}

/**
 * Stores the events of companies that are at home here, and holds these homes until the transaction ends. Returns the ids of the events
 * that are stored, including those that were stored before. The channel of a company's own feed has the id of the company, and moves with
 * it.
 */
export async function storeCustomerEvents(tx: EntityManager, events: readonly CustomerEventRow[]): Promise<ReadonlySet<string>> {
  const users = [...new Set(events.map(({ user_id }) => user_id))];
  // The customers are other companies than the one that makes the change.
  const stored = await forEveryCompany(
    () => many<{ event_id: string }>(tx)`
    with here as materialized (select user_id from hold_homes(${users}) user_id),
    news as (
      select n.* from rows from (json_to_recordset(${JSON.stringify(events.map(rowOf))}) as (
        user_id text, event_id text, service_id text, event text, created_at timestamptz, connection_id text, collapse_key text,
        body json, traceparent text
      )) with ordinality n join here using (user_id)),
    queued as (
      insert into feed_event (channel, id, company_user_id, service_id, event, created_at, connection_id, collapse_key, body, traceparent)
      select user_id, event_id, user_id, service_id, event, created_at, connection_id, collapse_key, body, traceparent from news n
       where not exists (
         select from feed_event e where e.company_user_id = n.user_id and e.id = n.event_id and e.created_at = n.created_at)
       order by ordinality)
    select event_id from news`,
  );
  return new Set(stored.map(({ event_id }) => event_id));
}

/** An event has the time of the change that it reports, and is kept for seven days from then. @spec D1-8 */
function rowOf({ user_id, event: { id: event_id, ...body }, traceparent }: CustomerEventRow) {
  const { event, service_id, connection_id, at: created_at } = body;
  return { user_id, event_id, service_id, event, created_at, connection_id, collapse_key: customerCollapseKey(body), body, traceparent };
}
