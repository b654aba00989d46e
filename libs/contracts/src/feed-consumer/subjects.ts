import { z } from 'zod';
import { subject } from '../core/subjects.ts';
import { Id, Timestamp } from '../core/text.ts';
import { ReceivedEvent } from '../feed/feed-event.ts';
import { RESEND_EVENTS } from './limits.ts';

/** Subjects of the feed on the suite's bus, for a company's internal services. `service` is the gateway's name of a service. */

/**
 * An event as the feed brought it; ciphertext stays ciphertext. Events of one person share a partition, `p00` to `p15`, and keep their
 * order in it. @spec D1-6
 */
export const FEED = subject('codase.feed.v1.{service}.{event}.{partition}', { stream: 'FEED', message: ReceivedEvent });

/**
 * Requests of other users to create a consumer of a stream are led to this subject, followed by the stream, the consumer's name and its
 * filter. The server itself would let such a consumer deliver to any subject of the account that has the stream.
 */
export const WANTED_CONSUMERS = 'codase.consumers.v1.wanted';

/**
 * Header of an event that was not received, but found missing when the feed consumer compared its records with the platform after a crash.
 */
export const RECONCILED_HEADER = 'codase-reconciled';

/** Header of an event's own id, as CloudEvents names it. By this id an operator has an event sent again. */
export const EVENT_ID_HEADER = 'ce-id';
/**
 * Header of an event that is sent again because somebody asked to resend its time range. Its message id is new, its `ce-id` is the same.
 */
export const RESENT_HEADER = 'codase-resent';

/** The position of an event in the order of arrival. */
const SequenceNumber = z.string().regex(/^\d{1,18}$/);

/**
 * Sends the events of a time range again, or only the one with the given id, the oldest first. `next` is the event to go on after, null
 * when that was all. An event that a newer one has replaced (a value by the next one of its slot, a status by the next one of its document)
 * is left out: it would come behind the newer one, and put an old state last. With `lost` the events keep their message ids: for a stream
 * that was restored to an older state. Services that have handled such an event drop it. @gap D1-6
 */
export const RESEND = subject('codase.feed-consumer.v1.{service}.resend', {
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
 * Compares the connections that the platform lists with what was seen of them, from the start, and publishes the differences with the
 * header codase-reconciled: for a platform whose database was restored to an older state. Answers as soon as the comparison is scheduled;
 * it is done page by page. @gap D1-6
 */
export const COMPARE = subject('codase.feed-consumer.v1.{service}.compare', { message: z.strictObject({}), reply: z.object({}) });
