import { collapseKey, type FeedEvent, type FeedEventOf } from '@codase/contracts';

/**
 * The members of an event that are known when it is queued. Its id comes with the row. The state of a slot is read when the event is
 * presented.
 */
type Queued<E> = E extends FeedEventOf<'field_updated'> ? Omit<E, 'id' | 'live' | 'value' | 'value_url'> : Omit<E, 'id'>;
export type EventBody = Queued<FeedEvent>;

type OfSlot = Extract<EventBody, { event: 'field_updated' }>;

/**
 * An event for the feed of a service. An event of an updated field needs its connection, since its slot is looked up when the event is
 * presented.
 */
export type NewEvent = { company_user_id: string; service_id: string } & (
  | { connection_id: string; event: EventBody }
  | { connection_id?: undefined; event: Exclude<EventBody, OfSlot> }
);

/** An event as a row of the statement that inserts it. */
interface NewRow {
  company_user_id: string;
  service_id: string;
  event: string;
  created_at: string;
  connection_id: string | null;
  collapse_key: string | null;
  body: EventBody;
  traceparent: string | null;
}

/** An event has the time of the change that it reports, and is kept for seven days from then. */
export const rowOf = ({ company_user_id, service_id, connection_id, event }: NewEvent, traceparent: string | null): NewRow => ({
  company_user_id,
  service_id,
  event: event.event,
  created_at: event.at,
  connection_id: connection_id ?? null,
  collapse_key: collapseKey(event as FeedEvent),
  body: event,
  traceparent,
});
