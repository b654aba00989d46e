import { Refusal, type Bucket } from '@cds/contracts';
import type { Deadline } from '../routing/deadline.ts';
import { FairQueue } from './fair-queue.ts';

export interface LaneOptions {
  bucket: Pick<Bucket, 'burst' | 'per_second'>;
  /** Calls that may wait. */
  queue: number;
  /** Calls under way at once. */
  in_flight: number;
  /** Told how the queue grows and shrinks, and of every call it turns away. */
  onQueue?(by: number): void;
  onRefused?(reason: Reason): void;
}

interface Waiting {
  go(): void;
  turnAway(reason: Reason): void;
}

type Reason = 'queue_full' | 'no_turn_in_time' | 'stopping';

/** We fill a little slower than the platform, so that calls that bunch up on the way still find room there. */
const HEADROOM = 0.95;

/**
 * The calls of one client that the platform counts in one bucket. It mirrors that bucket, so that a call waits here for its turn, in
 * fairness to all who ask, rather than being refused there. @spec D1-5.4
 */
export class Lane {
  private readonly queue = new FairQueue<Waiting>();
  private tokens: number;
  private countedAt = performance.now();
  private inFlight = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: LaneOptions) {
    this.tokens = options.bucket.burst;
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

  /** The platform's bucket is emptier than ours, since others fill it too: nobody goes before that time. */
  pause(seconds: number): void {
    this.fill();
    this.tokens = Math.min(this.tokens, 1 - seconds * this.perSecond);
    this.serve();
  }

  /** Nobody waits here any more: whoever does is told at once. */
  close(): void {
    this.isClosed = true;
    for (const waiting of this.queue.all()) waiting.turnAway('stopping');
  }

  private get perSecond(): number {
    return this.options.bucket.per_second * HEADROOM;
  }

  private turn(by: string, deadline: Deadline): Promise<void> {
    this.refuseHopeless(by, deadline);
    const { onQueue, onRefused } = this.options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiting.turnAway('no_turn_in_time'), deadline.leftMs);
      const waiting: Waiting = {
        go: () => {
          clearTimeout(timer);
          onQueue?.(-1);
          resolve();
        },
        turnAway: (reason) => {
          clearTimeout(timer);
          this.queue.leave(by, waiting);
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

  /** Whoever would not get a turn in time is told at once, and when to come again. */
  private refuseHopeless(by: string, deadline: Deadline): void {
    const reason = this.reasonAgainst(by, deadline);
    if (!reason) return;
    this.options.onRefused?.(reason);
    throw this.tooBusy(by);
  }

  private reasonAgainst(by: string, deadline: Deadline): Reason | undefined {
    if (this.isClosed) return 'stopping';
    if (!deadline.hasRoomFor(this.msUntil(this.queue.ahead(by) + 1))) return 'no_turn_in_time';
    return this.queue.size < this.options.queue || this.makesRoomFor(by) ? undefined : 'queue_full';
  }

  /** A crowd fills the queue, but shuts nobody out: the last of the longest line goes. */
  private makesRoomFor(by: string): boolean {
    const last = this.queue.lastOfLonger(by);
    last?.turnAway('queue_full');
    return last !== undefined;
  }

  private tooBusy(by: string): Refusal {
    const seconds = Math.max(1, Math.ceil(this.msUntil(this.queue.ahead(by) + 1) / 1000));
    return new Refusal('service.unavailable')
      .after(seconds)
      .because('More is asked than the limits of the platform allow, and your turn would come too late: ask again later');
  }

  /** Lets go whoever may go, and comes back when the next one may. */
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
    const now = performance.now();
    this.tokens = Math.min(this.options.bucket.burst, this.tokens + ((now - this.countedAt) / 1000) * this.perSecond);
    this.countedAt = now;
  }

  private msUntil(tokens: number): number {
    this.fill();
    return Math.max(0, ((tokens - this.tokens) / this.perSecond) * 1000);
  }
}
