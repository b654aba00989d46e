import { z } from 'zod';
import { IDEMPOTENCY_KEY } from '../core/limits.ts';
import { subject } from '../core/subjects.ts';
import { Id, Timestamp } from '../core/text.ts';
import { CHALLENGE_CONTEXT_CHARS } from './limits.ts';
import { ChallengeOutcome, ChallengeStatus, RaisedChallenge } from './shapes.ts';

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

/**
 * The state of a challenge, as often as one asks: the platform answers the outcome only once, and the twofa service keeps it. @spec D1-3.1
 */
export const READ_CHALLENGE = subject('cds.twofa.v1.{service}.read', {
  message: z.strictObject({ challenge_id: Id }),
  reply: z.object({ challenge_id: Id, status: ChallengeStatus, completed_at: Timestamp.nullable() }),
});

/** A challenge has its outcome. Grant the login on approved alone. @spec D1-4.5 */
export const CHALLENGE_COMPLETED = subject('cds.challenge.v1.{service}.{outcome}', {
  stream: 'CHALLENGES',
  message: z.strictObject({ challenge_id: Id, status: ChallengeOutcome, completed_at: Timestamp }),
});
