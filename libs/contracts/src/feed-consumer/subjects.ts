import { z } from 'zod';
import { subject } from '../core/subjects.ts';
import { Id, Timestamp } from '../core/text.ts';
import { ReceivedEvent } from '../feed/feed-event.ts';
import { RESEND_EVENTS } from './limits.ts';

/** What a company's internal services hear and ask on the suite's bus. `service` is the gateway's name of a service. */

/**
 * An event as the feed brought it; ciphertext stays ciphertext. Events of one person share a partition, `p00` to `p15`, and keep their
 * order in it. @spec D1-6
 */
export const FEED = subject('cds.feed.v1.{service}.{event}.{partition}', { stream: 'FEED', message: ReceivedEvent });

/**
 * What others say to the server to have a consumer of a stream is led here, with the stream, the consumer's name and its filter behind it:
 * the server itself would let it deliver onto any subject of the account that has the stream.
 */
export const WANTED_CONSUMERS = 'cds.consumers.v1.wanted';

/** Header of an event that was not received but found missing when the consumer compared notes after a crash. */
export const RECONCILED_HEADER = 'cds-reconciled';

/** Header of an event that is sent once more because somebody asked for its time again. Its message id is another, its `ce-id` the same. */
export const RESENT_HEADER = 'cds-resent';

/** An event's place in the order it came in. */
const SequenceNumber = z.string().regex(/^\d{1,18}$/);

/**
 * Sends the events of a time once more, or of them the one with an id. Oldest first; `next` is what to go on after, null when that was all.
 * What a newer event has replaced (a value by the next one of its slot, a status by the next one of its document) is left out: it would
 * come behind the newer one, and put an old state last. With `lost` they have the ids they had: for a stream that came back older than it
 * was, since whoever has handled them drops them. @gap D1-6
 */
export const RESEND = subject('cds.feed-consumer.v1.{service}.resend', {
  message: z.strictObject({
    from: Timestamp,
    to: Timestamp,
    event_id: Id.optional(),
    after: SequenceNumber.optional(),
    most: z.int().min(1).max(RESEND_EVENTS).default(RESEND_EVENTS),
    lost: z.boolean().default(false),
  }),
  reply: z.object({ events: z.int(), next: SequenceNumber.nullable() }),
});

/**
 * Compares the connections that the platform lists with what was seen of them, from the start, and publishes what differs with the header
 * cds-reconciled: for a platform whose database came back older than it was. Answers when it is due; it is done page by page. @gap D1-6
 */
export const COMPARE = subject('cds.feed-consumer.v1.{service}.compare', { message: z.strictObject({}), reply: z.object({}) });
