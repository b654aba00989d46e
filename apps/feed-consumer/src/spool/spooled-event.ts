import { hash } from 'node:crypto';
import { collapseKey, FEED_PARTITIONS, ReceivedEvent, type FeedEvent } from '@codase/contracts';
import type { EventEntity } from './event.entity.ts';

/** An event as it is stored, before anything else happens to it. */
export type Spooled = Omit<EventEntity, 'seq' | 'service' | 'mark' | 'received_at' | 'by_earlier'>;

export const sha256 = (text: string | Uint8Array): string => hash('sha256', text);

/** Returns the received event, or undefined when it is of no known kind. */
export const readEvent = (received: unknown): FeedEvent | undefined => ReceivedEvent.safeParse(received).data;

/** Returns the shard of a person. Events of one person share a shard, and so keep their order. */
export const shardOf = (person_user_id: string): number => hash('sha256', person_user_id, 'buffer').readUInt16BE(0) % FEED_PARTITIONS;

/** Converts an event to the form that is stored. On the pull feed a repeated event is recognised by its id. @spec D1-4.3 */
export const spooled = (
  event: FeedEvent,
  { message_id = event.id, traceparent = null }: { message_id?: string; traceparent?: string | null | undefined } = {},
): Spooled => ({
  message_id,
  traceparent,
  shard: shardOf(sharerOf(event)),
  event_id: event.id,
  event: event.event,
  state_key: stateKey(event),
  at: new Date(event.at),
  body: Buffer.from(JSON.stringify(event)),
});

/** Returns what decides the shard. The outcome of a challenge may name the person only by share code, or not at all. @gap D1-6.1 */
const sharerOf = ({ person_user_id, share_code, id }: Partial<FeedEvent>): string => person_user_id ?? share_code ?? id!;

/** Converts an unreadable message to the form that is stored. It is kept as it came, so that an operator can look at it. */
export function unreadable(body: Buffer, now: Date): Spooled {
  const digest = sha256(body);
  const unsaid = { event: null, state_key: null, traceparent: null };
  return { message_id: `unreadable:${digest}`, shard: 0, event_id: digest.slice(0, 40), at: now, body, ...unsaid };
}

/**
 * Returns the key of what an event is the state of: a newer event with the same key replaces it. Null for an event that is never replaced.
 * The key of a slot begins with the key of its connection, so an event of the connection replaces the events of its slots.
 * @spec D1-6.1 @spec D1-6.2
 */
export function stateKey(event: FeedEvent): string | null {
  switch (event.event) {
    case 'connection_created':
    case 'connection_deleted':
      return event.person_user_id;
    case 'field_updated':
    case 'field_deleted':
      return `${event.person_user_id}/${event.slug}`;
    default:
      return isOfPerson(event) ? collapseKey(event) : null;
  }
}

/** Whether the event names a person. The outcome of a challenge, which replaces older ones of its person, need not. @gap D1-6.1 */
const isOfPerson = ({ person_user_id }: Partial<FeedEvent>) => person_user_id !== undefined;
