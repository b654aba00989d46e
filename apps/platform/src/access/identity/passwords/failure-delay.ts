import { Refusal } from '@codase/contracts';
import { backoffMs } from '@codase/runtime/resilience';

/** The number of wrong passwords that cause no delay, since people mistype. @gap D1-8 */
const FREE_FAILURES = 4;
/** The delay after the next wrong password, which doubles up to an hour: 30 guesses on the first day, 24 on the next. @gap D1-8 */
const DELAY = { firstMs: 1000, longestMs: 60 * 60_000 };
/** Failures are forgotten after this time without another failure. @gap D1-8 */
export const FORGOTTEN_AFTER_MS = 24 * 60 * 60_000;
/** How long an address counts as known after a sign-in from it. @gap D1-8 */
export const KNOWN_FOR_MS = 90 * 24 * 60 * 60_000;

/** Returns how long the next attempt has to wait after this number of failures. */
export const delayMs = (failures: number): number => (failures <= FREE_FAILURES ? 0 : backoffMs(DELAY, failures - FREE_FAILURES));

/** Returns the refusal of an attempt that has to wait. */
export function tooManyFailures(wrong: 'passwords' | 'codes', waitMs: number): Refusal {
  const seconds = Math.ceil(waitMs / 1000);
  return new Refusal('rate_limit.exceeded')
    .because(
      `Too many wrong ${wrong} for this account: try again in ${seconds} seconds, or from an address that you have signed in from before`,
    )
    .after(seconds);
}
