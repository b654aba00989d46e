import { setTimeout as pause } from 'node:timers/promises';

/** Short at first. What takes long need not be known to the millisecond, and each look costs CPU. */
const nextLookMs = (waitedMs: number): number => Math.min(Math.max(waitedMs / 5, 10), 250);

/** Asks until there is an answer: for what one service does and another learns of a moment later. */
export async function eventually<T>(ask: () => Promise<T | undefined>, { seconds = 120 } = {}): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > seconds * 1000) throw new Error(`it did not come to pass within ${seconds} seconds`);
    await pause(nextLookMs(waitedMs));
  }
}

/** Looks until it is so: until nothing that is expected fails any more. */
export async function comesTrue(look: () => Promise<unknown>, seconds = 120): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    try {
      await look();
      return;
    } catch (error) {
      const waitedMs = performance.now() - startedAt;
      if (waitedMs > seconds * 1000) throw error;
      await pause(nextLookMs(waitedMs));
    }
  }
}
