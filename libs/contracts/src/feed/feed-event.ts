import { z } from 'zod';
import { connectionEvents } from '../connections/events.ts';
import { named } from '../core/named.ts';
import { Id, Sha256, Timestamp } from '../core/text.ts';
import { documentEvents } from '../documents/events.ts';
import { flowEvents } from '../flows/events.ts';
import { messageEvents } from '../messages/events.ts';
import { challengeEvents } from '../twofa/events.ts';
import { EventName } from './event-names.ts';

/** The members of every event. The id is the dedup key on the pull feed, not on webhooks. @spec D1-6.1 @spec D1-6.3 */
const every = { id: Id, person_user_id: Id, share_code: z.string().nullable(), at: Timestamp };

/** Returns every kind of event, all strict or all loose. A loose one accepts members that a newer platform adds. @spec D1-6.1 @spec D2-6 */
function kinds(object: typeof z.strictObject) {
  const event = <const N extends EventName, S extends z.ZodRawShape>(name: N, members: S) =>
    object({ event: z.literal(name), ...every, ...members });

  return z.discriminatedUnion('event', [
    event('connection_created', connectionEvents.connection_created),
    event('connection_deleted', connectionEvents.connection_deleted),
    event('field_updated', connectionEvents.field_updated).refine(
      ({ value, value_url }) => (value === undefined) !== (value_url === undefined),
    ),
    event('field_deleted', connectionEvents.field_deleted),
    event('consent_accepted', connectionEvents.consent_accepted),
    event('consent_declined', connectionEvents.consent_declined),
    event('document_status_changed', documentEvents.document_status_changed),
    event('document_created', documentEvents.document_created),
    event('document_updated', documentEvents.document_updated),
    event('document_deleted', documentEvents.document_deleted),
    event('connection_request_accepted', connectionEvents.connection_request_accepted),
    event('connection_request_rejected', connectionEvents.connection_request_rejected),
    event('flow_run_turn', flowEvents.flow_run_turn),
    event('flow_completed', flowEvents.flow_completed),
    // D1-6.1 shows its body without the members that every event has. The platform sends both. @gap D1-6.1
    event('2fa_challenge_completed', challengeEvents['2fa_challenge_completed']),
    event('key_rotated', { public_key_sha256: Sha256 }),
    event('message_received', messageEvents.message_received),
  ]);
}

/** One event as the pull feed and webhooks carry it, with exactly the members of its kind. @spec D1-6.1 @spec D2-6 */
export const FeedEvent = named('FeedEvent', kinds(z.strictObject));
export type FeedEvent = z.infer<typeof FeedEvent>;

/** The event of one kind. */
export type FeedEventOf<N extends FeedEvent['event']> = Extract<FeedEvent, { event: N }>;

/** A kind that is not known here, but may be known to its handler. */
const laterKind = z.looseObject({
  event: z
    .string()
    .regex(/^[A-Za-z0-9_]{1,64}$/)
    .refine((name) => !EventName.safeParse(name).success),
  ...every,
});

/**
 * The outcome of a challenge with the body that D1-6.1 shows, which names the person by share code only. A challenge ends once, so its id
 * and its end serve as the id and the time of the event. There is no person_user_id then: a handler uses the challenge_id. @gap D1-6.1
 */
const bareOutcome = z
  .looseObject({
    event: z.literal('2fa_challenge_completed'),
    ...challengeEvents['2fa_challenge_completed'],
    share_code: every.share_code,
    id: Id.optional(),
    at: Timestamp.optional(),
    person_user_id: z.undefined().optional(),
  })
  .transform(({ id, at, ...said }) => ({ ...said, id: id ?? said.challenge_id, at: at ?? said.completed_at }));

/**
 * An event as the suite accepts it from a platform that may be newer: with members and kinds that the suite does not know, and passes on.
 * It is typed as the known kinds, since no code here can do more with another kind.
 */
export const ReceivedEvent = z.union([
  kinds(z.looseObject as unknown as typeof z.strictObject),
  bareOutcome,
  laterKind,
]) as unknown as typeof FeedEvent;
