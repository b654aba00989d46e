import { Refusal, type ChallengeOutcome, type ChallengeStatus } from '@codase/contracts';
import type { ChallengeEntity } from './challenge.entity.ts';

/** What changes the status of a challenge. @spec D1-3.1 */
export type ChallengeAct = 'approve' | 'deny' | 'expire' | 'revoke';

interface Transition {
  next: ChallengeOutcome;
  /** Whether the service gets an event: an expired challenge raises none. @spec D1-6.1 */
  event: boolean;
}

/** The transitions by status and act. A pair that is absent is not allowed: an outcome is final. @spec D1-3.1 */
export const CHALLENGE_TRANSITIONS: Readonly<Record<ChallengeStatus, Partial<Record<ChallengeAct, Transition>>>> = {
  pending: {
    approve: { next: 'approved', event: true },
    deny: { next: 'denied', event: true },
    expire: { next: 'expired', event: false },
    revoke: { next: 'revoked', event: true },
  },
  approved: {},
  denied: {},
  expired: {},
  revoked: {},
};

/** Returns what an act makes of a challenge. Throws a refusal when the challenge is not open. */
export function transitionOf(status: ChallengeStatus, act: ChallengeAct): Transition {
  const transition = CHALLENGE_TRANSITIONS[status][act];
  if (!transition) throw new Refusal('twofa.challenge_closed');
  return transition;
}

/** The members of a challenge that decide what a poll finds. */
type ReadableChallenge = Pick<ChallengeEntity, 'status' | 'expires_at' | 'completed_at' | 'consumed_at'>;

/** Whether nobody answered in time. The status in the row is changed later. */
export const isOverdue = ({ status, expires_at }: Pick<ReadableChallenge, 'status' | 'expires_at'>, now: Date): boolean =>
  status === 'pending' && expires_at <= now;

/** Whether the person can answer now. */
export const isOpen = ({ status, expires_at }: Pick<ReadableChallenge, 'status' | 'expires_at'>, now: Date): boolean =>
  status === 'pending' && expires_at > now;

/** Returns what a poll finds. An outcome is kept for a while, and is delivered once. @spec D1-3.1 @spec D1-4.5 @gap D1-3.1 */
export function readingOf(challenge: ReadableChallenge, now: Date, keptMs: number): 'pending' | 'outcome' | 'consumed' | 'forgotten' {
  if (isOpen(challenge, now)) return 'pending';
  const ended = challenge.completed_at ?? challenge.expires_at;
  if (ended.getTime() + keptMs <= now.getTime()) return 'forgotten';
  return challenge.consumed_at === null ? 'outcome' : 'consumed';
}
