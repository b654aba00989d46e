/** Signals that end work, as far as there are any. */
export type Signals = readonly (AbortSignal | undefined)[];

/** Throws the reason of the first signal that is aborted. */
export function throwIfAborted(signals: Signals): void {
  for (const signal of signals) signal?.throwIfAborted();
}

/** Returns the result of the work. Throws as soon as one of the signals aborts: the work itself goes on then, and its result is ignored. */
export async function unlessAborted<T>(signals: Signals, work: () => Promise<T>): Promise<T> {
  throwIfAborted(signals);
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    for (const signal of signals) signal?.addEventListener('abort', () => reject(signal.reason as Error), { signal: over.signal });
  });
  try {
    const working = work();
    working.catch(() => undefined); // otherwise work that fails after the abort would end the process as an unhandled rejection
    return await Promise.race([working, aborted]);
  } finally {
    over.abort();
  }
}
