import { FeedEvent } from '@codase/contracts';
import { execute } from '@codase/runtime/db';
import { activeTraceparent } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { rowOf, type NewEvent } from './new-event.ts';
import { presentEvent } from './present-event.ts';

/** The name under which Postgres notifies the delivery of queued events. A notification may be lost: the delivery also polls. */
export const FEED_NOTIFICATION = 'feed_event';

/**
 * Queues events in the transaction of the change that they report: both are committed, or neither. Every event goes to the pull feed of the
 * service, and to each enabled webhook that receives events of its kind. Webhooks are a table of a capability that this one may not
 * import. They are read here, since the channels must be chosen in the same statement: a webhook created a moment later misses the event,
 * and one disabled a moment earlier gets none.
 *
 * The statement is prepared, since planning it takes longer than running it. The ids of services are a parameter of their own beside
 * the events: the planner cannot estimate how many events the JSON has, and would read every webhook of the region. @spec D1-1 @spec D1-2.9
 */
export async function emit(tx: EntityManager, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  // The trace of the change, so that its deliveries can be found from it.
  const traceparent = activeTraceparent();
  const rows = JSON.stringify(events.map((event) => rowOf(validated(event), traceparent)));
  const services = [...new Set(events.map(({ service_id }) => service_id))];
  await execute(tx, 'feed_emit')`
    with new_events as (
      select * from rows from (json_to_recordset(${rows}) as (
        company_user_id text, service_id text, event text, created_at timestamptz, connection_id text, collapse_key text,
        body json, traceparent text
      )) with ordinality),
    destinations as (
      select service_id as channel, * from new_events
      union all
      select w.webhook_id, n.* from new_events n
        join webhook w on w.service_id = any (${services}) and w.service_id = n.service_id and w.company_user_id = n.company_user_id
          and w.enabled
          and (w.events = '{}' or n.event = any (w.events))),
    queued as (
      insert into feed_event (channel, company_user_id, service_id, event, created_at, connection_id, collapse_key, body, traceparent)
      select channel, company_user_id, service_id, event, created_at, connection_id, collapse_key, body, traceparent from destinations
        order by ordinality
      returning channel, service_id)
    select pg_notify(${FEED_NOTIFICATION}, channel) from queued where channel <> service_id group by channel`;
}

/**
 * Validates the form in which an event is delivered: one that cannot be delivered would block all events behind it. A `field_updated` is
 * validated without its value, which is read at delivery.
 */
function validated(event: NewEvent): NewEvent {
  FeedEvent.parse(presentEvent({ id: 'evt', body: event.event, connection_id: null }, new Map()));
  return event;
}
