import type { FeedEvent } from '@cds/contracts';
import type { EventBody } from './new-event.ts';
import { slotName, type SlotKey, type SlotState } from './slots.ts';

/** An event that waits in a channel. */
export interface QueuedEvent {
  /** Where it stands in its channel; a bigint. */
  seq: string;
  created_at: Date;
  id: string;
  connection_id: string | null;
  body: EventBody;
  traceparent: string | null;
  /** Whether a newer event of the same collapse key waits in the channel. */
  is_replaced: boolean;
}

/** The slot whose state is part of an event, if there is one. */
export function slotOf({ body, connection_id }: Pick<QueuedEvent, 'body' | 'connection_id'>): SlotKey | undefined {
  return body.event === 'field_updated' && connection_id !== null ? { connection_id, slug: body.slug } : undefined;
}

/** Whether a choice of events has this one in it; an empty one means all. @spec D1-2.9 */
export const isWanted = (events: readonly string[], { event }: FeedEvent): boolean => events.length === 0 || events.includes(event);

/**
 * An event as it leaves now: an updated field carries what its slot holds, and becomes a deleted one when the slot is empty. @spec D1-6.1
 */
export function presentEvent(
  queued: Pick<QueuedEvent, 'id' | 'body' | 'connection_id'>,
  states: ReadonlyMap<string, SlotState>,
): FeedEvent {
  const { id, body } = queued;
  if (body.event !== 'field_updated') return { id, ...body } as FeedEvent;
  const slot = slotOf(queued);
  const state = slot && states.get(slotName(slot));
  return (state ? { id, ...body, ...state } : { id, ...body, event: 'field_deleted' }) as FeedEvent;
}
