import { Refusal, type CHALLENGE_RATE, type PENDING_CHALLENGES } from '@codase/contracts';

/** The limits of challenges, each of which can be configured. @gap D1-8 */
export interface ChallengeLimits {
  lifetime_seconds: number;
  outcome_hours: number;
  pending: Readonly<Record<keyof typeof PENDING_CHALLENGES, number>>;
  rate: Readonly<Record<keyof typeof CHALLENGE_RATE, number>>;
}
export const CHALLENGE_LIMITS = Symbol('limits of challenges');

/** How many challenges a person had lately. */
export interface ChallengeCounts {
  /** Open challenges of all services of the region. */
  of_person: number;
  /** Open challenges of one service. */
  of_service: number;
  /** When that service raised challenges within the last hour, the newest first. */
  recent: readonly Date[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Refuses one more challenge when a limit is reached. The limit of pending challenges is checked first: repeating the call does not help
 * there, and the answer says so by having no Retry-After. @spec D1-7 @gap D1-8
 */
export function checkMayRaise({ of_person, of_service, recent }: ChallengeCounts, { pending, rate }: ChallengeLimits, now: Date): void {
  if (of_service >= pending.per_service || of_person >= pending.per_person) throw new Refusal('twofa.too_many_pending');
  const waitMs = Math.max(waitFor(recent, rate.per_minute, MINUTE_MS, now), waitFor(recent, rate.per_hour, HOUR_MS, now));
  if (waitMs > 0) throw new Refusal('twofa.rate_limited').after(Math.ceil(waitMs / 1000));
}

/** Returns how long it takes until fewer than `most` challenges were raised within the window. */
function waitFor(recent: readonly Date[], most: number, windowMs: number, now: Date): number {
  const oldest = recent[most - 1];
  return oldest === undefined ? 0 : oldest.getTime() + windowMs - now.getTime();
}
