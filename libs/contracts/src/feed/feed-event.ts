import { z } from 'zod';
import { named } from '../core/named.ts';
import { Ciphertext } from '../core/sealed.ts';
import { CustomerType, Day, Id, Sha256, Timestamp } from '../core/text.ts';
import { DocumentKind, DocumentStatus, PayloadKind, signer, SigningMethod } from '../documents/shapes.ts';
import { ChallengeStatus } from '../twofa/shapes.ts';
import { EventName } from './event-names.ts';

/** What every event says. The id is the dedup key on the pull feed, not on webhooks. @spec D1-6.1 @spec D1-6.3 */
const every = { id: Id, person_user_id: Id, share_code: z.string().nullable(), at: Timestamp };

const connection = { customer_type: CustomerType };
const slot = { slug: z.string() };
const document = { document_id: Id, name: z.string(), kind: DocumentKind, payload_kind: PayloadKind };
const request = { request_id: Id };

/** @spec D1-6.2 */
const documentStatus = {
  document_id: Id,
  status: DocumentStatus,
  action: z.enum(['signed', 'accepted', 'cancelled']).nullable(),
  method: SigningMethod.nullable(),
  content_sha256: Sha256.nullable(),
  signed_at: Timestamp.nullable(),
  cancel_effective_date: Day.nullable(),
  sealed_at: Timestamp.nullable(),
  plain_sha256: Sha256.nullable(),
  ...signer,
};

const challengeOutcome = {
  challenge_id: Id,
  status: ChallengeStatus.extract(['approved', 'denied', 'revoked']),
  completed_at: Timestamp,
};

/** Every kind, each an object of one manner: strict, or open to members of later. @spec D1-6.1 @spec D2-6 */
function kinds(object: typeof z.strictObject) {
  const event = <const N extends EventName, S extends z.ZodRawShape>(name: N, members: S) =>
    object({ event: z.literal(name), ...every, ...members });

  return z.discriminatedUnion('event', [
    event('connection_created', connection),
    event('connection_deleted', connection),
    // The slot's state as at delivery: ciphertext, or the address of a file. @spec D1-6.1 @spec D1-2.8
    event('field_updated', { ...slot, live: z.boolean(), value: Ciphertext.optional(), value_url: z.string().optional() }).refine(
      ({ value, value_url }) => (value === undefined) !== (value_url === undefined),
    ),
    event('field_deleted', slot),
    event('consent_accepted', slot),
    event('consent_declined', slot),
    event('document_status_changed', documentStatus),
    event('document_created', document),
    event('document_updated', document),
    event('document_deleted', document),
    event('connection_request_accepted', request),
    event('connection_request_rejected', request),
    event('flow_run_turn', { flow_run_id: Id, awaiting_party: z.string() }),
    event('flow_completed', { flow_run_id: Id }),
    // D1-6.1 shows its body without the members that every event has; we send both. @gap D1-6.1
    event('2fa_challenge_completed', challengeOutcome),
    event('key_rotated', { public_key_sha256: Sha256 }),
    event('message_received', {
      connection_id: Id,
      message_id: Id,
      person_public_key: z.string(),
      created_at: Timestamp,
      body: Ciphertext,
    }),
  ]);
}

/** One event as the pull feed and webhooks carry it, with exactly the members of its kind. @spec D1-6.1 @spec D2-6 */
export const FeedEvent = named('FeedEvent', kinds(z.strictObject));
export type FeedEvent = z.infer<typeof FeedEvent>;

/** The event of one kind. */
export type FeedEventOf<N extends FeedEvent['event']> = Extract<FeedEvent, { event: N }>;

/** A kind that is not known here, but might be to the one who handles it. */
const laterKind = z.looseObject({
  event: z
    .string()
    .regex(/^\w{1,64}$/)
    .refine((name) => !EventName.safeParse(name).success),
  ...every,
});

/**
 * The outcome of a challenge with the body that D1-6.1 shows, which says the person by share code alone. A challenge ends once, so its id
 * and its end are good for the event's. There is no person_user_id then: whoever handles it goes by the challenge_id. @gap D1-6.1
 */
const bareOutcome = z
  .looseObject({
    event: z.literal('2fa_challenge_completed'),
    ...challengeOutcome,
    share_code: every.share_code,
    id: Id.optional(),
    at: Timestamp.optional(),
    person_user_id: z.undefined().optional(),
  })
  .transform(({ id, at, ...said }) => ({ ...said, id: id ?? said.challenge_id, at: at ?? said.completed_at }));

/**
 * An event as the suite takes it from a platform that may be newer: with members and of kinds it does not know, which it passes on. It is
 * typed as the kinds that are known, since nobody here can do more with another.
 */
export const ReceivedEvent = z.union([
  kinds(z.looseObject as unknown as typeof z.strictObject),
  bareOutcome,
  laterKind,
]) as unknown as typeof FeedEvent;
