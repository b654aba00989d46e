import { Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { callFailure } from '@codase/runtime/resilience';
import { count, raise } from '@codase/runtime/telemetry';
import { CircuitBreaker, type Observed } from './circuit-breaker.ts';
import { isUnexpected } from './unexpected-answer.ts';
import { METRICS } from '../metrics.ts';

/** A base that does not answer for so long counts as failed. A call that gave up sooner says nothing about its base. */
const SILENCE_MS = 5000;

/** The bases of the platform, and which of them cannot be reached. */
@Injectable()
export class BasesService {
  private readonly breakers = new Map<string, CircuitBreaker>();

  /** Refuses at once while the breaker of the base is open. */
  check(base: string): void {
    const ms = this.breakerOf(base).msLeft(performance.now());
    if (ms === 0) return;
    count(METRICS.gatewayRefused, { 'codase.check': 'breaker' });
    throw new Refusal('service.unavailable')
      .after(Math.ceil(ms / 1000))
      .because('The platform cannot be reached at present, so nothing was sent: ask again later');
  }

  /** Does work that calls a base, and reports the outcome to the breaker of the base. */
  async through<T>(base: string, work: () => Promise<T>): Promise<T> {
    const observe = this.breakerOf(base).enter();
    const startedAt = performance.now();
    try {
      const result = await work();
      observe('reached', performance.now());
      return result;
    } catch (error) {
      const now = performance.now();
      observe(observedFrom(error, now - startedAt), now);
      throw error;
    }
  }

  /** The bases that are not called at present. */
  get unreachable(): string[] {
    return [...this.breakers].filter(([, breaker]) => breaker.isOpen).map(([base]) => base);
  }

  private breakerOf(base: string): CircuitBreaker {
    const breaker = this.breakers.get(base) ?? new CircuitBreaker((isOpen) => raise(METRICS.breakersOpen, isOpen ? 1 : -1));
    this.breakers.set(base, breaker);
    return breaker;
  }
}

/** Returns what a failed call observed of its base. A proxy that answers for a base which is gone does so with a status of its own. */
function observedFrom(error: unknown, tookMs: number): Observed {
  if (isUnexpected(error)) return error.status >= 500 ? 'failed' : 'reached';
  const failure = callFailure(error);
  if (!failure) return 'reached';
  const isOurs = failure === 'late' || failure === 'cancelled';
  return isOurs && tookMs < SILENCE_MS ? 'nothing' : 'failed';
}
