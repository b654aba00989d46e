import { setTimeout as pause } from 'node:timers/promises';

/** How long one request may take, with all that breaks meanwhile, on a machine that has much else to do. */
export const ANSWER_TIMEOUT_MS = 300_000;

/** Asks until there is an answer. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + ANSWER_TIMEOUT_MS;
  for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, 500)) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(pauseMs);
    }
  }
}
