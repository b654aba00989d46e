import { createHash } from 'node:crypto';
import { FEED_PARTITIONS, type FeedEvent } from '@cds/contracts';

/** An event as it is stored, before anything else happens to it. */
export interface Spooled {
  /** A repeat is known by it. */
  message_id: string;
  shard: number;
  event_id: string;
  /** Null where a delivery could not be read as an event: it goes to the parked messages. */
  event: string | null;
  at: Date;
  body: Buffer;
  /** The trace of the change it tells of, where the one who brought it said so. */
  traceparent: string | null;
}

/** How an event came to be stored, where it was not simply received. */
export type Mark = 'reconciled' | 'resent';

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** Events of one person share a shard, and so keep their order. */
export const shardOf = (person_user_id: string): number =>
  createHash('sha256').update(person_user_id).digest().readUInt16BE(0) % FEED_PARTITIONS;

/** On the pull feed an event's id is what a repeat is known by. @spec D1-4.3 */
export const spooled = (event: FeedEvent, { message_id = event.id, traceparent = null }: { message_id?: string; traceparent?: string | null | undefined } = {}): Spooled => ({
  message_id,
  traceparent,
  shard: shardOf(event.person_user_id),
  event_id: event.id,
  event: event.event,
  at: new Date(event.at),
  body: Buffer.from(JSON.stringify(event)),
});

/** A delivery that is no event we know, kept as it came for somebody to look at. */
export function unreadable(body: Buffer, now: Date): Spooled {
  const digest = sha256(body);
  return { message_id: `unreadable:${digest}`, shard: 0, event_id: digest.slice(0, 40), event: null, at: now, body, traceparent: null };
}
