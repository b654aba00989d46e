import { Refusal } from '@codase/contracts';
import { isTransient, retry } from '@codase/runtime/resilience';
import { REQUEST_TIMEOUT_MS } from './gateway-http.ts';
import { METRICS } from './metrics.ts';

export const BACKOFF = { firstMs: 250, longestMs: 5_000, jitter: 0.2 };

/** Repeats a request about a run while who answers it cannot be reached. Only for requests that may arrive twice. */
export const askAgain = <T>(request: () => Promise<T>, withinMs = REQUEST_TIMEOUT_MS): Promise<T> =>
  retry(request, { backoff: BACKOFF, bound: { withinMs }, metric: METRICS.flowsRetried, isWorth: isUnavailable });

const isUnavailable = (error: unknown): boolean => (error instanceof Refusal ? error.key === 'service.unavailable' : isTransient(error));
