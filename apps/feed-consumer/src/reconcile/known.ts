import type { Connection, ConnectionValue, FeedEvent } from '@cds/contracts';
import { sha256 } from '../spool/spooled.ts';

/** What is known of a slot, in digests, never its state. Nothing: that it is there. */
export interface KnownSlot {
  /** Of all that the platform lists of it. After an event: of what a list would say, if there was no more to say than the event did. */
  whole?: string;
  /** Of its value alone, where an event came last: an event says neither what is verified nor the content of a file. */
  content?: string;
}

/** What is known of a person who is connected. */
export interface KnownPerson {
  person_user_id: string;
  share_code: string | null;
  customer_type: string;
  /** Whether the platform has listed the person. If not, there may be slots that no event was about. */
  listed: boolean;
  slots: Record<string, KnownSlot>;
}

/** What events say of a person, taken together: a slot that is null is gone. */
export interface KnownChange extends Omit<KnownPerson, 'slots'> {
  /** What was known before no longer holds. */
  anew: boolean;
  /** The person is no longer connected. */
  gone: boolean;
  slots: Record<string, KnownSlot | null>;
}

type Content = Pick<ConnectionValue, 'live' | 'value' | 'value_url'>;

const digest = (...state: unknown[]): string => sha256(JSON.stringify(state)).slice(0, 32);
const contentOf = ({ live, value, value_url }: Content): string => digest(live, value ?? null, value_url ?? null);

/**
 * Of all that the platform lists of a slot. A file keeps its address when it is replaced, and a value its text when it is verified: the
 * time and the proof tell. @spec D1-2.7 @spec D1-2.8
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

/** A slot as an event has it: the whole of it, if that was its last change and nothing of it is verified. */
export function knownSlot({ live, value, value_url, at }: Content & { at: string }): KnownSlot {
  const content = contentOf({ live, value, value_url });
  return { whole: wholeOf({ live, value, value_url, updated_at: at }, content), content };
}

/** Whether a listed value is what was known; if not, whether something was lost for certain, or nobody can say. */
export function judge(known: KnownPerson | undefined, slug: string, value: ConnectionValue): 'same' | 'lost' | 'unsure' {
  const slot = known && Object.hasOwn(known.slots, slug) ? known.slots[slug] : undefined;
  if (!slot) return known && !known.listed ? 'unsure' : 'lost';
  if (slot.whole === wholeOf(value)) return 'same';
  if (slot.content === undefined) return slot.whole === undefined ? 'unsure' : 'lost';
  return slot.content === contentOf(value) ? 'unsure' : 'lost';
}

/** Merges events, in their order, to one change for each person. */
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

/** Undefined for an event that says nothing of a connection or its slots. What someone connects with comes without events. @spec D1-6.1 */
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

/** A connection as the platform lists it, in the same terms. */
export const knownOf = ({ person_id, share_code, customer_type, values }: Connection): KnownPerson => ({
  person_user_id: person_id,
  share_code,
  customer_type,
  listed: true,
  slots: Object.fromEntries(Object.entries(values).map(([slug, value]) => [slug, { whole: wholeOf(value) }])),
});
