import { Refusal } from '@cds/contracts';
import { FairSemaphore } from '@cds/runtime/resilience';

/**
 * Each hash takes a thread and 32 MiB, which a crowd must not use up: two at once, and of one owner one after the other. An owner is an
 * account whose password is checked, or the address that signs up. Owners take turns, so a crowd at one of them keeps nobody else waiting.
 */
const turns = new FairSemaphore({ total: 2, each: 1, queuedEach: 32, waitMs: 15_000 }, (why) =>
  why === 'owner'
    ? new Refusal('rate_limit.exceeded').because('Too many calls with the password of this account at once: repeat them later').after(1)
    : new Refusal('service.unavailable').because('Too many sign-ins at once: repeat the call in a moment').after(1),
);

/** Does what hashes a password when it is the owner's turn. */
export const inHashingTurn = <T>(owner: string, work: () => Promise<T>): Promise<T> => turns.run(owner, work);
