import { collapseKey, type FeedEvent, type FeedEventOf } from '@codase/contracts';

/** The members of an event that are known when it is queued. Its id comes with the row, the state of a slot when it is presented. */
type Queued<E> = E extends FeedEventOf<'field_updated'> ? Omit<E, 'id' | 'live' | 'value' | 'value_url'> : Omit<E, 'id'>;
export type EventBody = Queued<FeedEvent>;

type OfSlot = Extract<EventBody, { event: 'field_updated' }>;

/** An event for the feed of a service. One of an updated field needs its connection, to look up its slot when it is presented. */
export type NewEvent = { company_user_id: string; service_id: string } & (
  | { connection_id: string; event: EventBody }
  | { connection_id?: undefined; event: Exclude<EventBody, OfSlot> }
);

/** Returns the row of an event. It has the time of the change that it reports, and is kept for seven days from then. */
export const rowOf = ({ company_user_id, service_id, connection_id, event }: NewEvent, traceparent: string | null) => ({
  company_user_id,
  service_id,
  event: event.event,
  created_at: event.at,
  connection_id: connection_id ?? null,
  collapse_key: collapseKey(event as FeedEvent),
  body: event,
  traceparent,
});
