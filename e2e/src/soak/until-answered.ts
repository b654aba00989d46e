import { setTimeout as pause } from 'node:timers/promises';

/** How long one request may take on a busy machine while things break. */
export const ANSWER_TIMEOUT_MS = 300_000;

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

const PAGE = 100;

interface Page<T> {
  items: readonly T[];
  next_cursor: string | null;
}

export async function everyPage<T>(ask: (paging: { limit: number; cursor?: string }) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const paging = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const page: Page<T> = await untilAnswered(() => ask(paging));
    all.push(...page.items);
    cursor = page.next_cursor;
  }
  return all;
}
