import { monotonic } from '@codase/runtime/resilience';
import type { Fresh, Waiting } from '../spool/spool.store.ts';

interface FreshLimits {
  /** How many events are kept here at most, and how many bytes. The worker finds the others in the spool. */
  most: number;
  bytes: number;
  /** How often the worker reads the spool in any case, to find what other replicas stored. */
  everyMs: number;
}

/**
 * Events that this replica stored a moment ago. They may be published without reading the spool: no event of their service waited before
 * them, so they overtake none. Events that do not fit here, or are not taken, are also in the spool, and the worker finds them there.
 */
export class FreshEvents {
  private events: Waiting[] = [];
  /** When the first of `events` was added. */
  private since = 0;
  private readAt = -Infinity;
  private mustRead = true;
  private wasFresh = false;

  constructor(
    private readonly limits: FreshLimits,
    private readonly now: () => number = monotonic,
  ) {}

  /** Adds events that were just stored. Unreadable messages are left out, because they are never urgent. */
  add({ events, areFirst }: Fresh): void {
    const readable = events.filter(({ event }) => event !== null);
    const all = [...this.events, ...readable];
    const fits = all.length <= this.limits.most && bytesOf(all) <= this.limits.bytes;
    if (!areFirst || !fits) return this.requestRead();
    if (this.events.length === 0) this.since = this.now();
    this.events = all;
  }

  /** Requests that the spool is read, because events wait that are not kept here. */
  requestRead(): void {
    this.mustRead = true;
  }

  /**
   * Takes out the events that this replica may publish. Returns none when it is time to read the spool, which is at most every other
   * call, or when the events have been here for too long, such as after the pause that follows a failure: another replica may have
   * published them meanwhile.
   */
  take(isOurs: (event: Waiting) => boolean): Waiting[] {
    const isTurnOfOthers = this.wasFresh && this.nextReadMs === 0;
    const areOld = this.now() - this.since > this.limits.everyMs;
    const taken = isTurnOfOthers || areOld ? [] : this.events.filter(isOurs);
    this.events = [];
    this.wasFresh = taken.length > 0;
    return taken;
  }

  /** Notes that the spool is being read now, and forgets the events here, because the spool has them too. */
  startRead(): void {
    this.events = [];
    this.readAt = this.now();
    [this.mustRead, this.wasFresh] = [false, false];
  }

  /** Removes published events: reading the spool may also have found events that were added here after the reading began. */
  published(events: readonly Waiting[]): void {
    if (this.events.length === 0) return;
    const gone = new Set(events.map(({ seq }) => seq));
    this.events = this.events.filter(({ seq }) => !gone.has(seq));
  }

  /** The time until the spool has to be read. */
  get nextReadMs(): number {
    return this.mustRead ? 0 : Math.max(0, this.readAt + this.limits.everyMs - this.now());
  }
}

const bytesOf = (events: readonly Waiting[]): number => events.reduce((sum, { body }) => sum + body.length, 0);
