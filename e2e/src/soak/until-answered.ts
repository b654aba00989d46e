import { setTimeout as pause } from 'node:timers/promises';

/** How long one request may take on a busy machine while things break. */
export const ANSWER_TIMEOUT_MS = 300_000;

/** Repeats a request until there is an answer. */
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
