import type { Connection, ConnectionValue, FeedEvent } from '@cds/contracts';
import { sha256 } from '../spool/spooled.ts';

/** What is known of a person who is connected: each slot by a digest of its state, never the state. */
export interface KnownPerson {
  person_user_id: string;
  share_code: string | null;
  customer_type: string;
  slots: Record<string, string>;
}

/** What events say of a person, taken together: a slot that is null is gone. */
export interface KnownChange {
  person_user_id: string;
  share_code: string | null;
  customer_type: string;
  /** What was known before no longer holds. */
  anew: boolean;
  /** The person is no longer connected. */
  gone: boolean;
  slots: Record<string, string | null>;
}

/** The state of a slot as events and connections both tell it. */
export const slotDigest = ({ live, value, value_url }: Pick<ConnectionValue, 'live' | 'value' | 'value_url'>): string =>
  sha256(JSON.stringify([live, value ?? null, value_url ?? null])).slice(0, 32);

/** Takes events together, in their order, to one change for each person they tell of. */
export function changesOf(events: readonly FeedEvent[]): KnownChange[] {
  const changes = new Map<string, KnownChange>();
  for (const event of events) {
    const { person_user_id, share_code } = event;
    const unsaid: KnownChange = { person_user_id, share_code, customer_type: 'person', anew: false, gone: false, slots: {} };
    const change = changed(changes.get(person_user_id) ?? unsaid, event);
    if (change) changes.set(person_user_id, change);
  }
  return [...changes.values()];
}

/** Undefined for an event that says nothing of a connection or its slots. */
function changed(before: KnownChange, event: FeedEvent): KnownChange | undefined {
  switch (event.event) {
    case 'connection_created':
      return { ...before, customer_type: event.customer_type, anew: true, gone: false, slots: {} };
    case 'connection_deleted':
      return { ...before, anew: true, gone: true, slots: {} };
    case 'field_updated':
      return { ...before, gone: false, slots: { ...before.slots, [event.slug]: slotDigest(event) } };
    case 'field_deleted':
      return { ...before, gone: false, slots: { ...before.slots, [event.slug]: null } };
    default:
      return undefined;
  }
}

/** A connection as the platform lists it, in the same terms. */
export const knownOf = ({ person_id, share_code, customer_type, values }: Connection): KnownPerson => ({
  person_user_id: person_id,
  share_code,
  customer_type,
  slots: Object.fromEntries(Object.entries(values).map(([slug, value]) => [slug, slotDigest(value)])),
});
