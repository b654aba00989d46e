import { Refusal, type ChallengeOutcome } from '@codase/contracts';
import type { LoginSignal } from './login-state.ts';
import { closesAt } from './poll-schedule.ts';

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
