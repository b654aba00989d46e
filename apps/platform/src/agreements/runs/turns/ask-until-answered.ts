import { Refusal } from '@codase/contracts';
import { isTransient, retry } from '@codase/runtime/resilience';
import { METRICS } from '../metrics.ts';

const BACKOFF = { firstMs: 200, longestMs: 2000, jitter: 0.2 };

/**
 * Repeats a request to another region while it does not answer, for example because it was killed and is restarting. A request may arrive
 * twice without harm, since pieces and files are known by their ids (decision 94).
 */
export const askUntilAnswered = <T>(request: () => Promise<T>, withinMs: number): Promise<T> =>
  retry(request, { backoff: BACKOFF, bound: { withinMs }, metric: METRICS.filesRequestedAgain, isWorth: isUnanswered });

/** Whether the region gave no answer. Any other error is its answer. */
const isUnanswered = (error: unknown): boolean => (error instanceof Refusal ? error.key === 'service.unavailable' : isTransient(error));
