import { setTimeout as pause } from 'node:timers/promises';
import { count } from './telemetry/index.ts';

/** Pauses double from the first to the longest, until the time is over. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

/**
 * Waits for a server that is still coming up: services of one stack start in any order, and a database that was
 * killed answers only when it has recovered. What is not a passing trouble is thrown at once.
 */
export async function patiently<T>(
  server: 'nats' | 'postgres',
  work: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
  seconds = 15,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() + pauseMs > deadline) throw error;
      count('connectRetried', { 'cds.check': server });
      await pause(pauseMs);
    }
  }
}

/** Nothing listens there yet, or it hung up while starting. */
export const isUnreachable = (error: unknown): boolean => {
  const codes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'CONNECTION_REFUSED'];
  type Caused = { code?: string; cause?: Caused } | undefined;
  for (let cause = error as Caused; cause; cause = cause.cause) if (codes.includes(cause.code ?? '')) return true;
  return false;
};
