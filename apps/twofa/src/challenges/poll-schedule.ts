import { CHALLENGE_GRACE_SECONDS } from '@codase/contracts';
import { backoffMs } from '@codase/runtime/resilience';

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
