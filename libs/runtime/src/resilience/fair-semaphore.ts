import { FairQueue } from './fair-queue.ts';

/** How many may hold a permit at once, and how many may wait for one. */
export interface Capacity {
  /** Permits in all. */
  total: number;
  /** Permits of one owner: a number, or a function of how many are free; all of them when absent. */
  each?: number | ((free: number) => number);
  /** How many callers of one owner may queue; none when absent. */
  queuedEach?: number;
  /** How long a caller queues before it is refused; as long as it takes when absent. */
  waitMs?: number;
}

/** Why there is no permit: the owner holds as many as it may or as many of its callers queue as may, or all permits are taken. */
export type Saturated = 'owner' | 'total';

/** Gives a permit back. */
export type Release = () => void;

interface Waiting {
  owner: string;
  enter(): void;
}

/**
 * A semaphore whose permits owners share: none of them can take all. A caller that finds no permit queues if the capacity allows it; free
 * permits go to the owners in turn. A caller that can neither enter nor queue is refused with the error that `refusal` makes.
 */
export class FairSemaphore {
  private readonly permits = new Map<string, number>();
  private readonly queue = new FairQueue<Waiting>();
  private total = 0;

  constructor(
    private readonly capacity: Capacity,
    private readonly refusal: (why: Saturated) => Error = saturated,
  ) {}

  /** Does the work of an owner while it holds a permit. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(owner);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Takes a permit, queues for one, or refuses. */
  async acquire(owner: string): Promise<Release> {
    if (this.isFree(owner)) return this.take(owner);
    await this.turnOf(owner);
    return () => this.release(owner);
  }

  /** Whether this owner would get a permit now. */
  isFree(owner: string): boolean {
    return this.saturationFor(owner) === undefined;
  }

  /** Takes a permit without a check: for a caller that has just asked `isFree`. */
  take(owner: string): Release {
    this.change(owner, 1);
    return () => this.release(owner);
  }

  private turnOf(owner: string): Promise<void> {
    const { queuedEach = 0, waitMs } = this.capacity;
    if (queuedEach === 0) throw this.refusal(this.saturationFor(owner) ?? 'total');
    if (this.queue.sizeOf(owner) >= queuedEach) throw this.refusal('owner');
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const waiting = {
        owner,
        enter() {
          clearTimeout(timer);
          resolve();
        },
      };
      if (waitMs !== undefined)
        timer = setTimeout(() => {
          this.queue.remove(owner, waiting);
          reject(this.refusal(this.saturationFor(owner) ?? 'total'));
        }, waitMs);
      this.queue.put(owner, waiting);
    });
  }

  /** Gives the permit to the next caller in turn. The permit is never free in between, so that no other caller slips in. */
  private release(owner: string): void {
    this.change(owner, -1);
    const next = this.queue.size > 0 ? this.queue.take((whose) => this.isFree(whose)) : undefined;
    if (!next) return;
    this.change(next.owner, 1);
    next.enter();
  }

  private saturationFor(owner: string): Saturated | undefined {
    const { total, each = total } = this.capacity;
    const free = total - this.total;
    const most = typeof each === 'number' ? each : each(free);
    if ((this.permits.get(owner) ?? 0) >= most) return 'owner';
    return free > 0 ? undefined : 'total';
  }

  private change(owner: string, by: 1 | -1): void {
    const permits = (this.permits.get(owner) ?? 0) + by;
    if (permits > 0) this.permits.set(owner, permits);
    else this.permits.delete(owner);
    this.total += by;
  }
}

const saturated = (why: Saturated) =>
  new Error(`No permit is free: ${why === 'owner' ? 'this owner has all it may have' : 'all are taken'}`);
