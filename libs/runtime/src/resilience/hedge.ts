import type { Attributes } from '../telemetry/attributes.ts';
import { count, type Metric } from '../telemetry/metrics.ts';
import type { RetryBudget } from './retry-budget.ts';

export interface HedgeOptions {
  /** The pauses after which an attempt without an outcome is repeated, one after the other: as many attempts more, at most. */
  afterMs: readonly number[];
  /** Bounds the repeats of all who share it, so that a slow answerer is not asked ever more often. */
  budget: RetryBudget;
  /** Whether an error is an answer for good, which counts though another attempt is under way. */
  isFinal?(error: unknown): boolean;
  /** Counts every attempt that is repeated. */
  metric: Metric<'counter'>;
  attributes?: Attributes;
}

/**
 * Attempts the work, and attempts it again while there is no outcome: whoever has it in hand may have died. The first result counts,
 * whichever attempt it is of; an error counts where it is final, or no other attempt is under way. For work that may be done twice, and
 * for nothing else.
 */
export function hedge<T>(
  attempt: () => Promise<T>,
  { afterMs, budget, isFinal = () => false, metric, attributes }: HedgeOptions,
): Promise<T> {
  budget.earn();
  return new Promise<T>((resolve, reject) => {
    let underWay = 0;
    let timer: NodeJS.Timeout | undefined;
    const begin = ([pauseMs, ...later]: readonly number[]) => {
      underWay += 1;
      if (pauseMs !== undefined) timer = setTimeout(repeat, pauseMs, later);
      attempt().then(
        (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        (error: unknown) => {
          underWay -= 1;
          if (underWay > 0 && !isFinal(error)) return;
          clearTimeout(timer);
          reject(error as Error);
        },
      );
    };
    const repeat = (later: readonly number[]) => {
      if (!budget.spend()) return;
      count(metric, attributes);
      begin(later);
    };
    begin(afterMs);
  });
}
