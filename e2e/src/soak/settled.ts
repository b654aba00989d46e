import { setTimeout as pause } from 'node:timers/promises';
import type { Tally } from './tally.ts';

const CHECK_MS = 500;

/** Returns the verdict as soon as nothing is missing, or when nothing more has arrived for this long. */
export async function settled<V extends Tally>(verdictNow: () => Promise<V> | V, silenceMs: number): Promise<V> {
  for (let [missing, since] = [Infinity, performance.now()]; ; await pause(CHECK_MS)) {
    const verdict = await verdictNow();
    if (verdict.lost < missing) [missing, since] = [verdict.lost, performance.now()];
    if (missing === 0 || performance.now() - since > silenceMs) return verdict;
  }
}
