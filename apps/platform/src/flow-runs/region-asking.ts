import { Refusal } from '@cds/contracts';
import { isTransient, retry } from '@cds/runtime/resilience';
import { METRICS } from './metrics.ts';

const BACKOFF = { firstMs: 200, longestMs: 2000, jitter: 0.2 };

/**
 * Asks another region again while it does not answer, as one does that was killed and comes back. Each request may come twice: a piece and
 * a file are known by their ids (decision 94).
 */
export const askUntilAnswered = <T>(request: () => Promise<T>, withinMs: number): Promise<T> =>
  retry(request, { backoff: BACKOFF, bound: { withinMs }, metric: METRICS.filesAskedAgain, isWorth: isUnanswered });

/** Whatever else a region says is its answer. */
const isUnanswered = (error: unknown): boolean => (error instanceof Refusal ? error.key === 'service.unavailable' : isTransient(error));
