import { collapseKey, type FeedEvent, type FeedEventOf } from '@cds/contracts';

/** What an event says when it happens. Its id comes with the row, the state of a slot when it is told. */
type Happened<E> = E extends FeedEventOf<'field_updated'> ? Omit<E, 'id' | 'live' | 'value' | 'value_url'> : Omit<E, 'id'>;
export type HappenedEvent = Happened<FeedEvent>;

type OfSlot = Extract<HappenedEvent, { event: 'field_updated' }>;

/** An event for a service's feed. Of an updated field the connection must be known, as the slot is looked up when it is told. */
export type NewEvent = { company_user_id: string; service_id: string } & (
  | { connection_id: string; event: HappenedEvent }
  | { connection_id?: undefined; event: Exclude<HappenedEvent, OfSlot> }
);

/** An event as the statement that writes it takes it. */
export interface NewRow {
  company_user_id: string;
  service_id: string;
  event: string;
  created_at: string;
  connection_id: string | null;
  collapse_key: string | null;
  body: HappenedEvent;
  traceparent: string | null;
}

/** An event is as old as what it tells: it waits seven days from then. */
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
