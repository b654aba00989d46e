import { setTimeout as sleep } from 'node:timers/promises';
import { monotonic, type Monotonic } from './monotonic.ts';

export interface PollOptions {
  everyMs: number;
  /** When it ends without an answer. */
  withinMs: number;
  /** Ends it at once, by an error. */
  signal?: AbortSignal;
  now?: Monotonic;
}

/** Asks again and again, until there is an answer: for what is on its way already. Answers undefined when the time is over. */
export async function poll<T>(ask: () => T | undefined | Promise<T | undefined>, options: PollOptions): Promise<T | undefined> {
  const { everyMs, withinMs, signal, now = monotonic } = options;
  for (const endsAt = now() + withinMs; ; await sleep(everyMs, undefined, signal && { signal })) {
    const answer = await ask();
    if (answer !== undefined || now() + everyMs > endsAt) return answer;
  }
}
