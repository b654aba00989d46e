import { setTimeout as sleep } from 'node:timers/promises';
import { monotonic, type Monotonic } from './monotonic.ts';

export interface PollOptions {
  everyMs: number;
  /** How long to ask; after that the polling ends without an answer. */
  withinMs: number;
  /** Ends the polling at once, with an error. */
  signal?: AbortSignal;
  /** Settles when it is worth asking before the pause is over. */
  sooner?(): Promise<void>;
  now?: Monotonic;
}

/** Asks again and again until there is an answer, for something that is already on its way. Returns undefined when the time is over. */
export async function poll<T>(ask: () => T | undefined | Promise<T | undefined>, options: PollOptions): Promise<T | undefined> {
  const { everyMs, withinMs, now = monotonic } = options;
  for (const endsAt = now() + withinMs; ; await pause(options)) {
    const answer = await ask();
    if (answer !== undefined || now() + everyMs > endsAt) return answer;
  }
}

async function pause({ everyMs, signal, sooner }: PollOptions): Promise<void> {
  if (!sooner) return sleep(everyMs, undefined, signal && { signal });
  signal?.throwIfAborted();
  const over = new AbortController();
  const end = () => over.abort();
  signal?.addEventListener('abort', end, { signal: over.signal });
  await Promise.race([sleep(everyMs, undefined, { signal: over.signal }), sooner()]).finally(end);
}
