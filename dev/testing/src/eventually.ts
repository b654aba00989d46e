import { setTimeout as pause } from 'node:timers/promises';

/** The pause before the next attempt, short at first. After a long wait the exact moment matters less, and each attempt costs CPU. */
const nextCheckMs = (waitedMs: number): number => Math.min(Math.max(waitedMs / 5, 10), 250);

/** Asks until there is an answer. Used when one service learns a moment later what another one did. */
export async function eventually<T>(ask: () => Promise<T | undefined>, { seconds = 120 } = {}): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > seconds * 1000) throw new Error(`it did not come to pass within ${seconds} seconds`);
    await pause(nextCheckMs(waitedMs));
  }
}

/** Repeats the assertions until none of them fails any more. */
export async function comesTrue(check: () => Promise<unknown>, seconds = 120): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      const waitedMs = performance.now() - startedAt;
      if (waitedMs > seconds * 1000) throw error;
      await pause(nextCheckMs(waitedMs));
    }
  }
}
