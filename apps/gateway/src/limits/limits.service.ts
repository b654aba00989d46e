import { Inject, Injectable } from '@nestjs/common';
import type { RateLimit } from '@codase/contracts';
import { SHUTDOWN } from '@codase/runtime/service';
import { count, raise } from '@codase/runtime/telemetry';
import { SETTINGS, type Settings } from '../config.ts';
import { RateLimiter } from './rate-limiter.ts';
import { METRICS } from '../metrics.ts';

/** How many calls of one client may be under way at once: enough to use every limit, few enough for one region. */
const IN_FLIGHT = 128;

/** One rate limiter for each bucket in which the platform counts the gateway's calls. @spec D1-5.4 */
@Injectable()
export class LimitsService {
  private readonly limiters = new Map<string, RateLimiter>();

  private replicas = 1;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(SHUTDOWN) shutdown: AbortSignal,
  ) {
    // Queued calls are refused with 503: the shutdown waits for the requests in hand, and a queue may be long.
    shutdown.addEventListener('abort', () => {
      for (const limiter of this.limiters.values()) limiter.close();
    });
  }

  /** Returns the limiter of a client. Their number is bounded: only clients of the configuration get here. */
  limiterOf(client: string, limit: RateLimit): RateLimiter {
    const key = `${client} ${limit}`;
    const limiter = this.limiters.get(key) ?? this.open(limit);
    this.limiters.set(key, limiter);
    return limiter;
  }

  /** Takes this gateway's part of every limit, which so many gateways share. */
  divideAmong(replicas: number): void {
    if (replicas === this.replicas) return;
    this.replicas = replicas;
    for (const limiter of this.limiters.values()) limiter.divide(replicas);
  }

  private open(limit: RateLimit): RateLimiter {
    const limiter = new RateLimiter({
      bucket: this.settings.limits[limit],
      queue: this.settings.queue,
      in_flight: IN_FLIGHT,
      onQueue: (by) => raise(METRICS.gatewayQueue, by),
      onRefused: (reason) => count(METRICS.gatewayRefused, { 'codase.check': reason, 'codase.limit': limit }),
    });
    limiter.divide(this.replicas);
    return limiter;
  }
}
