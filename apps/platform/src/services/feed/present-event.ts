import type { FeedEvent } from '@codase/contracts';
import type { FeedEventEntity } from './feed-event.entity.ts';
import type { EventBody } from './new-event.ts';
import { slotName, type SlotKey, type SlotState } from './slots.ts';

/** An event that waits in a channel. */
export interface QueuedEvent extends Pick<FeedEventEntity, 'seq' | 'created_at' | 'id' | 'connection_id' | 'traceparent'> {
  body: EventBody;
  /** Whether a newer event of the same collapse key waits in the channel. */
  is_replaced: boolean;
}

/** Returns the slot whose state is part of the event; undefined for other events. */
export function slotOf({
  company_user_id,
  body,
  connection_id,
}: Pick<SlotKey, 'company_user_id'> & Pick<QueuedEvent, 'body' | 'connection_id'>): SlotKey | undefined {
  return body.event === 'field_updated' && connection_id !== null ? { company_user_id, connection_id, slug: body.slug } : undefined;
}

/** Whether a list of kinds contains the kind of this event; an empty list means all kinds. @spec D1-2.9 */
export const isWanted = (events: readonly string[], { event }: FeedEvent): boolean => events.length === 0 || events.includes(event);

/** Returns an event as it is delivered now: an updated field has what its slot holds, and is deleted when that is empty. @spec D1-6.1 */
export function presentEvent(
  queued: Pick<QueuedEvent, 'id' | 'body' | 'connection_id'>,
  states: ReadonlyMap<string, SlotState>,
): FeedEvent {
  const { id, body } = queued;
  if (body.event !== 'field_updated') return { id, ...body } as FeedEvent;
  const { connection_id } = queued;
  const state = connection_id === null ? undefined : states.get(slotName({ connection_id, slug: body.slug }));
  return (state ? { id, ...body, ...state } : { id, ...body, event: 'field_deleted' }) as FeedEvent;
}
