import { CHALLENGE_GRACE_SECONDS, Refusal, type ChallengeOutcome } from '@codase/contracts';
import { backoffMs } from '@codase/runtime/resilience';
import type { LoginSignal } from './login-state.ts';

/** Regular polls are the slow way, because an event of the feed makes a poll due at once. So the pauses grow quickly. */
const BACKOFF = { firstMs: 2_000, longestMs: 120_000 };
/** After its expiry a challenge is polled for its last status, again and again until it is closed. */
const LAST_WORD_MS = { first: 500, every: 4_000 };

/** Returns when a challenge that was polled so often is polled next. */
export function nextPollAt(now: Date, polls: number, expires_at: Date): Date {
  const regular = now.getTime() + backoffMs(BACKOFF, Math.max(1, polls));
  const lastWord = Math.max(expires_at.getTime() + LAST_WORD_MS.first, now.getTime() + LAST_WORD_MS.every);
  return new Date(Math.min(regular, lastWord));
}

/** Returns the time from which a challenge without an outcome is expired, whatever the platform says later. */
export const closesAt = (expires_at: Date): Date => new Date(expires_at.getTime() + CHALLENGE_GRACE_SECONDS * 1000);

const OF_OUTCOME: Record<ChallengeOutcome, LoginSignal> = { approved: 'approve', denied: 'deny', expired: 'lapse', revoked: 'revoke' };

/** Returns the signal of an answer to a poll. An approval does not count when it comes after the login was due to close. */
export function signalOfAnswer(status: ChallengeOutcome | 'pending', expires_at: Date, now: Date): LoginSignal | undefined {
  if (now >= closesAt(expires_at)) return 'close';
  return status === 'pending' ? undefined : OF_OUTCOME[status];
}

/** Returns the signal of a refused poll. Every other failure is no outcome. @spec D1-4.5 */
export function signalOfRefusal(error: unknown): LoginSignal | undefined {
  if (!(error instanceof Refusal)) return undefined;
  if (error.key === 'twofa.result_consumed') return 'consumed';
  return error.key === 'twofa.challenge_not_found' ? 'unknown' : undefined;
}
