import { FeedEvent } from '@codase/contracts';
import { execute } from '@codase/runtime/db';
import { activeTraceparent } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { rowOf, type NewEvent } from './new-event.ts';
import { presentEvent } from './present-event.ts';

/** The Postgres channel that notifies the delivery of new events. A notification may be lost: the delivery also looks by itself. */
export const FEED_NOTIFICATION = 'feed_event';

/**
 * Queues events in the transaction of the change that they report: both are committed, or neither. Every event goes to the pull feed of the
 * service, and to each enabled webhook that receives events of its kind. Webhooks are read here, below the capability that owns them, since
 * the channels must be chosen in the same statement: a webhook created a moment later misses the event, and one disabled a moment earlier
 * gets none.
 *
 * The statement is prepared, since planning it takes longer than running it. The services are a parameter of their own beside the events:
 * the planner cannot know how many events there are, and would otherwise read every webhook of the region. @spec D1-1 @spec D1-2.9
 */
export async function emit(tx: EntityManager, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  // The trace of the change, so that its deliveries can be found from it.
  const traceparent = activeTraceparent();
  const rows = JSON.stringify(events.map((event) => rowOf(checked(event), traceparent)));
  const services = [...new Set(events.map(({ service_id }) => service_id))];
  await execute(tx, 'feed_emit')`
    with news as (
      select * from rows from (json_to_recordset(${rows}) as (
        company_user_id text, service_id text, event text, created_at timestamptz, connection_id text, collapse_key text,
        body json, traceparent text
      )) with ordinality),
    queued_for as (
      select service_id as channel, * from news
      union all
      select w.webhook_id, n.* from news n
        join webhook w on w.service_id = any (${services}) and w.service_id = n.service_id and w.company_user_id = n.company_user_id
          and w.enabled
          and (w.events = '{}' or n.event = any (w.events))),
    queued as (
      insert into feed_event (channel, company_user_id, service_id, event, created_at, connection_id, collapse_key, body, traceparent)
      select channel, company_user_id, service_id, event, created_at, connection_id, collapse_key, body, traceparent from queued_for
        order by ordinality
      returning channel, service_id)
    select pg_notify(${FEED_NOTIFICATION}, channel) from queued where channel <> service_id group by channel`;
}

/** An event that could not be presented must not be queued: it would block all events behind it. */
function checked(event: NewEvent): NewEvent {
  FeedEvent.parse(presentEvent({ id: 'evt', body: event.event, connection_id: null }, new Map()));
  return event;
}
