import { z } from 'zod';
import { ReceivedEvent } from './events/feed-event.ts';
import {
  CHALLENGE_CONTEXT_CHARS,
  DELIVERY_BYTES,
  IDEMPOTENCY_KEY,
  NAME_CHARS,
  OPEN_BATCH_VALUES,
  RESEND_EVENTS,
  VERIFIED_SALT_CHARS,
} from './limits.ts';
import { ChallengeOutcome, ChallengeStatus, RaisedChallenge } from './shapes/challenge.ts';
import { RunStatus } from './shapes/run.ts';
import { OneTimeKey, Sealed, sealedUpTo, WrappedKey } from './shapes/sealed.ts';
import { Id, Sha256, Slug, Timestamp } from './shapes/text.ts';
import { subject } from './subjects.ts';

/** What a company's internal services hear and ask on the suite's bus. `service` is the gateway's name of a service. */

/**
 * An event as the feed brought it; ciphertext stays ciphertext. Events of one person share a partition, `p00` to `p15`, and keep their
 * order in it. @spec D1-6
 */
export const FEED = subject('cds.feed.v1.{service}.{event}.{partition}', { stream: 'FEED', message: ReceivedEvent });

/**
 * What an internal consumer says to the server to have a consumer of the feed is led here, with the consumer's name and its filter behind it:
 * the server itself would let it deliver onto any subject of the suite.
 */
export const WANTED_CONSUMERS = 'cds.consumers.v1.wanted';

/** Header of an event that was not received but found missing when the consumer compared notes after a crash. */
export const RECONCILED_HEADER = 'cds-reconciled';

/** Header of an event that is sent once more because somebody asked for its time again. Its message id is another, its `ce-id` the same. */
export const RESENT_HEADER = 'cds-resent';

/** An event's place in the order it came in. */
const Place = z.string().regex(/^\d{1,18}$/);

/**
 * Sends the events of a time once more, or of them the one with an id. Oldest first; `next` is what to go on after, null when that was all.
 * What a newer event has replaced (a value by the next one of its slot, a status by the next one of its document) is left out: it would
 * come behind the newer one, and put an old state last. @gap D1-6
 */
export const RESEND = subject('cds.feed-consumer.v1.{service}.resend', {
  message: z.strictObject({
    from: Timestamp,
    to: Timestamp,
    event_id: Id.optional(),
    after: Place.optional(),
    most: z.int().min(1).max(RESEND_EVENTS).default(RESEND_EVENTS),
  }),
  reply: z.object({ events: z.int(), next: Place.nullable() }),
});

/** A value to open and, if the asker likes, what to judge its clear text by. */
const ToOpen = z.strictObject({
  value: Sealed,
  /** The members that attest the value, as it carries them. @spec D1-2.7 */
  verification: z.strictObject({ verified_hash: Sha256, verified_salt: z.string().max(VERIFIED_SALT_CHARS) }).optional(),
  /** The type of its request row: the answer then holds the parsed value, or why there is none; neither for a value that is opened by its own key. @spec D1-2.5 */
  field_type: z.string().min(1).max(NAME_CHARS).optional(),
});
export type ToOpen = z.infer<typeof ToOpen>;

const Opened = z.object({
  plaintext: z.string(),
  /** Null when nothing was said to attest it. False means not attested, not wrong. @spec D1-2.7 */
  attested: z.boolean().nullable(),
  /** Its value by the field type that was asked for: text, or what its JSON holds. @spec D1-2.3 */
  value: z.unknown().optional(),
  /** In place of `value`: the rule of the type that the plaintext breaks. */
  misfit: z.object({ code: z.string(), path: z.string(), message: z.string() }).optional(),
});
export type Opened = z.infer<typeof Opened>;

/** Opens one value with the key of a service; the clear text exists in the reply alone. @spec D1-2.3 */
export const OPEN_VALUE = subject('cds.decryptor.v1.{service}.open', { message: ToOpen, reply: Opened });

/** Opens many at once, in order; one that does not open says so in its place. @spec D1-2.3 */
export const OPEN_VALUES = subject('cds.decryptor.v1.{service}.open_values', {
  message: z.strictObject({ values: z.array(ToOpen).min(1).max(OPEN_BATCH_VALUES) }),
  reply: z.object({ items: z.array(z.union([Opened, z.object({ error_key: z.literal('decryptor.unreadable') })])) }),
});

/**
 * Unwraps the own key of one value, for a value longer than the bus carries: its reader opens the rest with it, and it opens nothing else.
 * Whether the key is the right one shows there alone. @spec D1-2.3 @gap D1-2.8
 */
export const UNWRAP_KEY = subject('cds.decryptor.v1.{service}.unwrap_key', {
  message: z.strictObject({ wrapped_key: WrappedKey }),
  reply: z.object({ value_key: OneTimeKey }),
});

/** Opens the account-key envelope around a webhook's body; the values inside stay sealed. @spec D1-2.3 @spec D1-6.4 */
export const OPEN_PAYLOAD = subject('cds.decryptor.v1.{service}.open_payload', {
  message: z.strictObject({ envelope: sealedUpTo(DELIVERY_BYTES, 'request.too_large') }),
  reply: z.object({ payload: z.string() }),
});

/** Asks a person to approve a login. Digits to match exist in the reply alone. @spec D1-4.5 */
export const RAISE_CHALLENGE = subject('cds.twofa.v1.{service}.raise', {
  message: z.strictObject({
    share_code: z.string().min(1).max(64),
    idempotency_key: z.string().min(1).max(IDEMPOTENCY_KEY.chars),
    context: z
      .string()
      .max(2 * CHALLENGE_CONTEXT_CHARS)
      .default(''),
  }),
  reply: RaisedChallenge,
});

/** How a challenge stands, as often as one asks: the twofa service keeps what the platform tells only once. @spec D1-3.1 */
export const READ_CHALLENGE = subject('cds.twofa.v1.{service}.read', {
  message: z.strictObject({ challenge_id: Id }),
  reply: z.object({ challenge_id: Id, status: ChallengeStatus, completed_at: Timestamp.nullable() }),
});

/** A challenge has its outcome. Grant the login on approved alone. @spec D1-4.5 */
export const CHALLENGE_COMPLETED = subject('cds.challenge.v1.{service}.{outcome}', {
  stream: 'CHALLENGES',
  message: z.strictObject({ challenge_id: Id, status: ChallengeOutcome, completed_at: Timestamp }),
});

const RunState = z.object({ flow_run_id: Id, status: RunStatus, node: z.string().nullable() });
const Targets = z.record(Slug, z.strictObject({ connection_id: Id }));

/** Starts a run with connected customers; a repeat with the same key answers the same run. @spec D2-4.1 */
export const START_RUN = subject('cds.flows.v1.{service}.start', {
  message: z.strictObject({ flow_id: Id, idempotency_key: z.string().min(1).max(IDEMPOTENCY_KEY.chars), targets: Targets }),
  reply: RunState,
});

/** The company's own answers of its step, in the clear: the flows service seals them for every party and goes on. @spec D2-4.2 */
export const ANSWER_RUN = subject('cds.flows.v1.{service}.answer', {
  message: z.strictObject({ flow_run_id: Id, node: z.string().max(64), answers: z.record(z.string().max(64), z.string()) }),
  reply: RunState,
});

/** Cancels an open run. @spec D2-4.4 */
export const CANCEL_RUN = subject('cds.flows.v1.{service}.cancel', { message: z.strictObject({ flow_run_id: Id }), reply: RunState });

/** A run awaits the company, is completed or was cancelled. @spec D2-6 */
export const RUN_MOVED = subject('cds.run.v1.{service}.{state}', {
  stream: 'RUNS',
  message: z.strictObject({ flow_run_id: Id, flow_id: Id, status: RunStatus, node: z.string().nullable(), at: Timestamp }),
});
