import { setTimeout as sleep } from 'node:timers/promises';
import type { Attributes } from '../telemetry/attributes.ts';
import { count, type Metric } from '../telemetry/metrics.ts';
import { backoffMs, type Backoff } from './backoff.ts';
import { isTransient } from './is-transient.ts';
import { monotonic, type Monotonic } from './monotonic.ts';

export interface RetryOptions {
  backoff: Backoff;
  /** When to give up: after so many attempts, when the next attempt would begin later than that, or when the signal is aborted. */
  bound: { attempts: number } | { withinMs: number } | { until: AbortSignal };
  /** Counts every attempt that is repeated. */
  metric: Metric<'counter'>;
  attributes?: Attributes;
  /** Which errors are worth another attempt; those that are transient when absent. */
  isWorth?(error: unknown): boolean;
  /** Called for every attempt that failed and is repeated. */
  onRetry?(error: unknown, attempts: number): void;
  now?: Monotonic;
}

/** Attempts the work until it succeeds. Throws the error of the last attempt when it is not worth another, or the bound is reached. */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { backoff, bound, metric, attributes, isWorth = isTransient, onRetry, now = monotonic } = options;
  const endsAt = 'withinMs' in bound ? now() + bound.withinMs : Infinity;
  const signal = 'until' in bound ? bound.until : undefined;
  for (let attempts = 1; ; attempts++) {
    try {
      return await work();
    } catch (error) {
      const pauseMs = backoffMs(backoff, attempts);
      const isLast = ('attempts' in bound && attempts >= bound.attempts) || now() + pauseMs > endsAt || signal?.aborted;
      if (isLast || !isWorth(error)) throw error;
      count(metric, attributes);
      onRetry?.(error, attempts);
      await sleep(pauseMs, undefined, signal && { signal }).catch(() => {
        throw error;
      });
    }
  }
}
