import { Refusal } from '@codase/contracts';
import { FairSemaphore } from '@codase/runtime/resilience';

/**
 * Limits hashing, because each hash takes a thread and 32 MiB: two hashes at once, and one at a time for one owner. An owner is an account
 * whose password is checked, or the network address of a sign-up. Owners take turns, so many requests for one owner do not make the others
 * wait.
 */
const turns = new FairSemaphore({ total: 2, each: 1, queuedEach: 32, waitMs: 15_000 }, (why) =>
  why === 'owner'
    ? new Refusal('rate_limit.exceeded').because('Too many calls with the password of this account at once: repeat them later').after(1)
    : new Refusal('service.unavailable').because('Too many sign-ins at once: repeat the call in a moment').after(1),
);

/** Runs work that hashes a password when it is the turn of its owner. */
export const inHashingTurn = <T>(owner: string, work: () => Promise<T>): Promise<T> => turns.run(owner, work);
