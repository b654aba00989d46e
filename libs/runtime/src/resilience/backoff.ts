/** Pauses between attempts: the first, then twice as long each time, up to the longest. */
export interface Backoff {
  firstMs: number;
  longestMs: number;
  /** Up to this part of a pause is added at random, so that callers that failed together do not come back together. */
  jitter?: number;
}

/** The most doublings of a pause: more would be longer than any longest pause, and than a number can hold. */
const MAX_DOUBLINGS = 50;

/** The pause after so many failures in a row, 1 or more. */
export function backoffMs({ firstMs, longestMs, jitter = 0 }: Backoff, failures: number, random: () => number = Math.random): number {
  const ms = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS));
  return withJitter(ms, jitter, random);
}

/** Returns the pause with up to `jitter` of it added: never less than was asked for. */
export const withJitter = (ms: number, jitter: number, random: () => number = Math.random): number =>
  jitter === 0 ? ms : ms * (1 + random() * jitter);
