import type { Attributes } from '../telemetry/attributes.ts';
import { count, type Metric } from '../telemetry/metrics.ts';
import type { RetryBudget } from './retry-budget.ts';

export interface HedgeOptions {
  /** The pauses after which an attempt without an outcome is repeated, one after the other: there are at most as many repeats as pauses. */
  afterMs: readonly number[];
  /** Bounds the repeats of all callers that share it, so that a slow service is not asked ever more often. */
  budget: RetryBudget;
  /** Whether an error is final: it counts even while another attempt is under way. */
  isFinal?(error: unknown): boolean;
  /** Counts every attempt that is repeated. */
  metric: Metric<'counter'>;
  attributes?: Attributes;
}

/**
 * Attempts the work, and attempts it again while there is no outcome: the process that has it in hand may have died. The first result
 * counts, whichever attempt it is of. An error counts when it is final, or when no other attempt is under way. Use it only for work that
 * may be done twice.
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
