import { setTimeout as pause } from 'node:timers/promises';

/** Asks until there is an answer: for what one service does and another learns of a moment later. */
export async function eventually<T>(ask: () => Promise<T | undefined>, { seconds = 120 } = {}): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`it did not come to pass within ${seconds} seconds`);
    await pause(20);
  }
}
