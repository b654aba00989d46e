import type { AppEventKind } from '@codase/contracts';
import { activeTraceparent } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { newId } from '../../kit/ids.ts';
import { addToOutbox } from './outbox.store.ts';
import { storeEvents, type EventRow } from './events.store.ts';

/** An event for the phones of a person. */
export interface NewAppEvent {
  person_user_id: string;
  company_user_id: string;
  kind: AppEventKind;
  object_id: string;
  at: Date;
}

/**
 * Adds events for the phones of persons, in the transaction of the change: both are committed, or neither. It may be called in any region:
 * events of persons who are at home elsewhere go to the outbox. The phones get the events right after the commit.
 *
 * It locks the log of each person until the commit, so it should be the last thing that a transaction does. @gap D1-1
 */
export async function emitAppEvents(tx: EntityManager, events: readonly NewAppEvent[]): Promise<void> {
  if (events.length === 0) return;
  // The trace of the change, so that sending the event to a phone belongs to the same trace.
  const traceparent = activeTraceparent();
  const rows = events.map(({ at, ...event }): EventRow => ({
    event_id: newId('ape'),
    ...event,
    created_at: at.toISOString(),
    traceparent,
  }));
  const stored = await storeEvents(tx, rows);
  const others = rows.filter(({ event_id }) => !stored.has(event_id));
  if (others.length > 0) await addToOutbox(tx, others);
}
