import { isTransient } from './is-transient.ts';
import { retry } from './retry.ts';
import { RUNTIME_METRICS } from '../telemetry/metrics.ts';

/** With jitter: all services of a stack wait for the same server. */
const BACKOFF = { firstMs: 100, longestMs: 2000, jitter: 0.2 };
const SECONDS = 15;

/**
 * Waits for a server that is still coming up: services of one stack start in any order, and a database that was killed answers only when it
 * has recovered. An error that is not transient is thrown at once.
 */
export const retryConnect = <T>(
  server: 'nats' | 'postgres',
  connect: () => Promise<T>,
  { seconds = SECONDS, isWorth = isTransient }: { seconds?: number | undefined; isWorth?: (error: unknown) => boolean } = {},
): Promise<T> =>
  retry(connect, {
    backoff: BACKOFF,
    bound: { withinMs: seconds * 1000 },
    metric: RUNTIME_METRICS.connectRetried,
    attributes: { 'codase.check': server },
    isWorth,
  });
