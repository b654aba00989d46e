import { backoffMs } from '@cds/runtime/resilience';

/** Wrong passwords that cost no waiting: people mistype. @gap D1-8 */
export const FREE_FAILURES = 4;
/** The wait after the next wrong one; it doubles with each, up to an hour: some 30 guesses on the first day, 24 on the next. @gap D1-8 */
const DELAY = { firstMs: 1000, longestMs: 60 * 60_000 };
/** Failures are forgotten when there were no more for so long. @gap D1-8 */
export const FORGOTTEN_AFTER_MS = 24 * 60 * 60_000;
/** An address is known for so long after somebody signed in from it. @gap D1-8 */
export const KNOWN_FOR_MS = 90 * 24 * 60 * 60_000;

/** How long nobody may try again after so many failures. */
export const delayMs = (failures: number): number => (failures <= FREE_FAILURES ? 0 : backoffMs(DELAY, failures - FREE_FAILURES));
