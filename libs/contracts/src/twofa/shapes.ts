import { z } from 'zod';
import { expects, fails } from '../core/fails.ts';
import { named } from '../core/named.ts';
import { Id, idempotencyKeyOr, TEXT, Timestamp } from '../core/text.ts';
import { CHALLENGE_CONTEXT_CHARS } from './limits.ts';

/** @spec D1-2.10 */
export const ChallengeStatus = z.enum(['pending', 'approved', 'denied', 'expired', 'revoked']);
export type ChallengeStatus = z.infer<typeof ChallengeStatus>;
/** @spec D1-2.10 */
export const ChallengeOutcome = ChallengeStatus.exclude(['pending']);
export type ChallengeOutcome = z.infer<typeof ChallengeOutcome>;

/**
 * How a login ends for the service that asked: with the platform's outcome, or without an answer that counts. `lost`: the outcome was
 * consumed and never recorded, so it is not known. `failed`: the platform no longer knows the challenge. Only `approved` is a yes.
 * @gap D1-3.1
 */
export const LoginOutcome = z.enum([...ChallengeOutcome.options, 'lost', 'failed']);
export type LoginOutcome = z.infer<typeof LoginOutcome>;
/** The outcome of a login, or still open. */
export const LoginStatus = z.enum(['pending', ...LoginOutcome.options]);
export type LoginStatus = z.infer<typeof LoginStatus>;

/** How the phone was unlocked for an approval. @spec D1-3.1 */
export const Gate = z.enum(['biometric', 'passcode']);

const noShareCode = fails('twofa.share_code_required');

const countsUpTo = (most: number) => (text: string) => text.length <= most || (text.length <= 2 * most && [...text].length <= most);
const notEnrolled = fails('twofa.not_enrolled');
/** Whether a text has no characters that hide or turn what the person reads, and no half of a character. @gap D1-4.5 */
const isPlain = (text: string) => !/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u.test(text);

/** @spec D1-4.5 @gap D1-4.5 */
export const NewChallenge = z.strictObject({
  share_code: z.string(noShareCode).min(1, noShareCode).max(64, notEnrolled).regex(TEXT, notEnrolled),
  idempotency_key: idempotencyKeyOr('twofa.idempotency_key_required'),
  context: z
    .string()
    .refine(countsUpTo(CHALLENGE_CONTEXT_CHARS), fails('twofa.context_too_long'))
    .refine(isPlain, expects('must hold no control characters, none that turn the direction of text, and no half of a character'))
    .default(''),
});

export type NewChallenge = z.output<typeof NewChallenge>;

/** The answer when a challenge was raised. It has digits only when number matching is on. @spec D1-4.5 */
export const RaisedChallenge = named(
  'RaisedChallenge',
  z.object({
    challenge_id: Id,
    status: z.literal('pending'),
    expires_at: Timestamp,
    matching_digits: z
      .string()
      .regex(/^[0-9]{2}$/)
      .optional(),
  }),
);

export type RaisedChallenge = z.infer<typeof RaisedChallenge>;

/** The answer to a poll: still open, or the outcome, which is then consumed. @spec D1-4.5 */
export const PolledChallenge = z.union([
  z.object({ status: z.literal('pending'), expires_at: Timestamp }),
  z.object({ status: ChallengeOutcome, completed_at: Timestamp }),
]);

export type PolledChallenge = z.infer<typeof PolledChallenge>;

/** A challenge on the person's phone; the digits are typed there, never shown. @spec D1-2.10 @gap D1-4.5 */
export const ChallengeCard = named(
  'ChallengeCard',
  z.object({
    challenge_id: Id,
    service_id: Id,
    service_name: z.string(),
    context: z.string(),
    number_matching: z.boolean(),
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
);

/** An enrolment: one for each person and service. @spec D1-2.10 */
export const Enrolment = named('Enrolment', z.object({ service_id: Id, service_name: z.string(), enrolled_at: Timestamp }));
