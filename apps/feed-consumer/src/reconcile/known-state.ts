import type { Connection, ConnectionValue, FeedEvent } from '@codase/contracts';
import { sha256 } from '../spool/spooled-event.ts';
import type { KnownPersonEntity, KnownSlot } from './known-person.entity.ts';

/** What is known of a person who is connected. */
export type KnownPerson = Omit<KnownPersonEntity, 'service' | 'run'>;

/** What several events together say of a person. A slot that is null is deleted. */
export interface KnownChange extends Omit<KnownPerson, 'slots'> {
  /** Whether all that was known before is invalid. */
  anew: boolean;
  /** Whether the person is no longer connected. */
  gone: boolean;
  slots: Record<string, KnownSlot | null>;
}

type Content = Pick<ConnectionValue, 'live' | 'value' | 'value_url'>;

const digest = (...state: unknown[]): string => sha256(JSON.stringify(state)).slice(0, 32);
const contentOf = ({ live, value, value_url }: Content): string => digest(live, value ?? null, value_url ?? null);

/**
 * Returns the digest of all that the platform lists of a slot. A file keeps its address when it is replaced, and a value its text when it
 * is verified, so the time and the proof are part of the digest. @spec D1-2.7 @spec D1-2.8
 */
export function wholeOf(listed: ConnectionValue, content = contentOf(listed)): string {
  const { live: _live, value: _value, value_url: _url, updated_at, ...proof } = listed;
  const verified = Object.entries(proof).filter(([, member]) => member !== undefined && member !== null);
  return digest(
    content,
    Date.parse(updated_at),
    verified.toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Returns a slot as an event describes it. `whole` is right if the event is its last change and nothing of it is verified. */
export function knownSlot({ live, value, value_url, at }: Content & { at: string }): KnownSlot {
  const content = contentOf({ live, value, value_url });
  return { whole: wholeOf({ live, value, value_url, updated_at: at }, content), content };
}

/** Compares a listed value with what is known: it is the same, or an event was certainly lost, or this cannot be known (`unsure`). */
export function judge(known: KnownPerson | undefined, slug: string, value: ConnectionValue): 'same' | 'lost' | 'unsure' {
  const slot = known && Object.hasOwn(known.slots, slug) ? known.slots[slug] : undefined;
  if (!slot) return known && !known.listed ? 'unsure' : 'lost';
  if (slot.whole === wholeOf(value)) return 'same';
  if (slot.content === undefined) return slot.whole === undefined ? 'unsure' : 'lost';
  return slot.content === contentOf(value) ? 'unsure' : 'lost';
}

/** Merges events, in their order, into one change for each person. */
export function changesOf(events: readonly FeedEvent[]): KnownChange[] {
  const changes = new Map<string, KnownChange>();
  for (const event of events) {
    const { person_user_id, share_code } = event;
    const unsaid: KnownChange = { person_user_id, share_code, customer_type: 'person', listed: false, anew: false, gone: false, slots: {} };
    const change = changed(changes.get(person_user_id) ?? unsaid, event);
    if (change) changes.set(person_user_id, change);
  }
  return [...changes.values()];
}

/** Adds an event to a change. Undefined when it says nothing of a connection; connecting brings values without events. @spec D1-6.1 */
function changed(before: KnownChange, event: FeedEvent): KnownChange | undefined {
  switch (event.event) {
    case 'connection_created':
      return { ...before, customer_type: event.customer_type, anew: true, gone: false, slots: {} };
    case 'connection_deleted':
      return { ...before, anew: true, gone: true, slots: {} };
    case 'field_updated':
      return withSlot(before, event.slug, knownSlot(event));
    case 'consent_accepted':
      return withSlot(before, event.slug, {});
    case 'field_deleted':
      return withSlot(before, event.slug, null);
    default:
      return undefined;
  }
}

const withSlot = (before: KnownChange, slug: string, slot: KnownSlot | null): KnownChange => ({
  ...before,
  gone: false,
  slots: { ...before.slots, [slug]: slot },
});

/** Converts a connection as the platform lists it. */
export const knownOf = ({ person_id, share_code, customer_type, values }: Connection): KnownPerson => ({
  person_user_id: person_id,
  share_code,
  customer_type,
  listed: true,
  slots: Object.fromEntries(Object.entries(values).map(([slug, value]) => [slug, { whole: wholeOf(value) }])),
});
