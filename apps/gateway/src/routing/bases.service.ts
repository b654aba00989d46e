import { Injectable } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import { count, raise } from '@cds/runtime/telemetry';
import { Breaker, type Learned } from './breaker.ts';
import { troubleOf } from './trouble.ts';
import { isUnexpected } from './understood.ts';

/** A base that says nothing for so long is as good as gone; an asker in a hurry learns less. */
const SILENCE_MS = 5000;

/** The bases of the platform, and which of them cannot be reached. */
@Injectable()
export class BasesService {
  private readonly breakers = new Map<string, Breaker>();

  /** Refuses at once where nobody would answer. */
  check(base: string): void {
    const ms = this.breakerOf(base).msLeft(performance.now());
    if (ms === 0) return;
    count('gatewayRefused', { 'cds.check': 'breaker' });
    throw new Refusal('service.unavailable')
      .after(Math.ceil(ms / 1000))
      .because('The platform cannot be reached at present, so nothing was sent: ask again later');
  }

  /** Does work that talks to a base, and learns from how it ends. */
  async through<T>(base: string, work: () => Promise<T>): Promise<T> {
    const learned = this.breakerOf(base).enter();
    const startedAt = performance.now();
    try {
      const result = await work();
      learned('reached', performance.now());
      return result;
    } catch (error) {
      const now = performance.now();
      learned(learnedFrom(error, now - startedAt), now);
      throw error;
    }
  }

  /** Bases that are left alone at present. */
  get unreachable(): string[] {
    return [...this.breakers].filter(([, breaker]) => breaker.isOpen).map(([base]) => base);
  }

  private breakerOf(base: string): Breaker {
    const breaker = this.breakers.get(base) ?? new Breaker((isOpen) => raise('breakersOpen', isOpen ? 1 : -1));
    this.breakers.set(base, breaker);
    return breaker;
  }
}

/** A proxy that answers for a base which is gone says so with a status of its own. */
function learnedFrom(error: unknown, tookMs: number): Learned {
  if (isUnexpected(error)) return error.status >= 500 ? 'failed' : 'reached';
  const trouble = troubleOf(error);
  if (!trouble) return 'reached';
  return trouble === 'late' && tookMs < SILENCE_MS ? 'nothing' : 'failed';
}
