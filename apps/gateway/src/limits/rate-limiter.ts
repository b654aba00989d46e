import { Refusal, type Bucket } from '@codase/contracts';
import { FairQueue, monotonic, type Monotonic } from '@codase/runtime/resilience';
import type { Deadline } from '../routing/deadline.ts';

export interface RateLimiterOptions {
  bucket: Pick<Bucket, 'burst' | 'per_second'>;
  /** Calls that may queue. */
  queue: number;
  /** Calls under way at once. */
  in_flight: number;
  /** Called with every change of the queue's length, and with every call that is refused. */
  onQueue?(by: number): void;
  onRefused?(reason: Reason): void;
  now?: Monotonic;
}

interface Waiting {
  go(): void;
  refuse(reason: Reason): void;
}

type Reason = 'queue_full' | 'no_turn_in_time' | 'stopping';

/** This bucket fills a little slower than the platform's, so that calls that arrive there close together are not refused. */
const HEADROOM = 0.95;

/** Mirrors a bucket of the platform: a call queues here, with turns among the callers, and is not refused there. @spec D1-5.4 */
export class RateLimiter {
  private readonly queue = new FairQueue<Waiting>();
  private tokens: number;
  private countedAt: number;
  private readonly now: Monotonic;
  private inFlight = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  private replicas = 1;

  constructor(private readonly options: RateLimiterOptions) {
    this.tokens = options.bucket.burst;
    this.now = options.now ?? monotonic;
    this.countedAt = this.now();
  }

  /** Does the work when its turn has come. */
  async run<T>(by: string, deadline: Deadline, work: () => Promise<T>): Promise<T> {
    await this.turn(by, deadline);
    try {
      return await work();
    } finally {
      this.inFlight -= 1;
      this.serve();
    }
  }

  /** Lets no call go before so many seconds are over: the platform's bucket is emptier than this one, since others use it too. */
  pause(seconds: number): void {
    this.fill();
    this.tokens = Math.min(this.tokens, 1 - seconds * this.perSecond);
    this.serve();
  }

  /** Takes this replica's part of the platform's bucket. Tokens that were saved up beyond that part are given up. */
  divide(replicas: number): void {
    this.fill();
    this.replicas = replicas;
    this.fill();
    this.serve();
  }

  /** Refuses all calls that are queued, and all that come later. */
  close(): void {
    this.isClosed = true;
    for (const waiting of this.queue.all()) waiting.refuse('stopping');
  }

  private get perSecond(): number {
    return (this.options.bucket.per_second * HEADROOM) / this.replicas;
  }

  /** The burst is at least one call, or no call would ever go. */
  private get burst(): number {
    return Math.max(1, this.options.bucket.burst / this.replicas);
  }

  private turn(by: string, deadline: Deadline): Promise<void> {
    this.refuseHopeless(by, deadline);
    const { onQueue, onRefused } = this.options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiting.refuse('no_turn_in_time'), deadline.leftMs);
      const waiting: Waiting = {
        go: () => {
          clearTimeout(timer);
          onQueue?.(-1);
          resolve();
        },
        refuse: (reason) => {
          clearTimeout(timer);
          this.queue.remove(by, waiting);
          onQueue?.(-1);
          onRefused?.(reason);
          reject(this.tooBusy(by));
        },
      };
      this.queue.put(by, waiting);
      onQueue?.(1);
      this.serve();
    });
  }

  /** Refuses at once a call that would not get its turn in time, with the time after which to call again. */
  private refuseHopeless(by: string, deadline: Deadline): void {
    const reason = this.reasonAgainst(by, deadline);
    if (!reason) return;
    this.options.onRefused?.(reason);
    throw this.tooBusy(by);
  }

  private reasonAgainst(by: string, deadline: Deadline): Reason | undefined {
    if (this.isClosed) return 'stopping';
    if (!deadline.allows(this.msUntil(this.queue.ahead(by) + 1))) return 'no_turn_in_time';
    return this.queue.size < this.options.queue || this.evictsFor(by) ? undefined : 'queue_full';
  }

  /** A full queue shuts no caller out: the last call of the caller with the most calls is refused in favour of the new one. */
  private evictsFor(by: string): boolean {
    const last = this.queue.lastOfLonger(by);
    last?.refuse('queue_full');
    return last !== undefined;
  }

  private tooBusy(by: string): Refusal {
    const seconds = Math.max(1, Math.ceil(this.msUntil(this.queue.ahead(by) + 1) / 1000));
    return new Refusal('service.unavailable')
      .after(seconds)
      .because('More is asked than the limits of the platform allow, and your turn would come too late: ask again later');
  }

  /** Lets all calls go that may go now, and sets a timer for the next one. */
  private serve(): void {
    clearTimeout(this.timer);
    this.fill();
    while (this.queue.size > 0 && this.tokens >= 1 && this.inFlight < this.options.in_flight) {
      this.tokens -= 1;
      this.inFlight += 1;
      this.queue.take()!.go();
    }
    if (this.queue.size > 0 && this.tokens < 1) this.timer = setTimeout(() => this.serve(), Math.ceil(this.msUntil(1)));
  }

  private fill(): void {
    const now = this.now();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.countedAt) / 1000) * this.perSecond);
    this.countedAt = now;
  }

  private msUntil(tokens: number): number {
    this.fill();
    return Math.max(0, ((tokens - this.tokens) / this.perSecond) * 1000);
  }
}
