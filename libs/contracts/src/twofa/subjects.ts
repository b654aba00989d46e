import { z } from 'zod';
import { subject } from '../core/subjects.ts';
import { Id, Timestamp } from '../core/text.ts';
import { READ_WAIT_SECONDS } from './limits.ts';
import { LoginOutcome, LoginStatus, NewChallenge, RaisedChallenge } from './shapes.ts';

/** Asks a person to approve a login. The digits to show exist only in the reply. @spec D1-4.5 */
export const RAISE_CHALLENGE = subject('codase.twofa.v1.{service}.challenge', {
  message: NewChallenge,
  reply: RaisedChallenge.extend({ status: LoginStatus }),
  idempotent: 'at_once',
});

/**
 * Answers the state of a challenge, as often as a caller asks: the platform answers an outcome only once, so the twofa service keeps it.
 * With `wait_seconds` the reply comes with the outcome, or says that the challenge is still pending when that time is over. @spec D1-3.1
 */
export const READ_CHALLENGE = subject('codase.twofa.v1.{service}.read', {
  message: z.strictObject({ challenge_id: Id, wait_seconds: z.number().min(0).max(READ_WAIT_SECONDS).default(0) }),
  reply: z.object({ challenge_id: Id, status: LoginStatus, expires_at: Timestamp, completed_at: Timestamp.nullable() }),
});

/** A challenge has its outcome. Each challenge has a subject of its own, which holds one message at most. @spec D1-4.5 */
export const CHALLENGE_COMPLETED = subject('codase.challenge.v1.{service}.{challenge_id}', {
  stream: 'CHALLENGES',
  message: z.strictObject({ challenge_id: Id, status: LoginOutcome, completed_at: Timestamp }),
});
