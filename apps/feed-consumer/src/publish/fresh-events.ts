import { monotonic } from '@cds/runtime/resilience';
import type { Fresh, Waiting } from '../spool/spool.store.ts';

export interface FreshLimits {
  /** How many are kept at most, and how many bytes. The others are found in the spool. */
  most: number;
  bytes: number;
  /** How often the spool is looked at all the same: for what other replicas stored. */
  everyMs: number;
}

/**
 * Events that this replica stored a moment ago, which may be published without a look into the spool: of their service nothing waited
 * before them, so nothing is overtaken. What does not fit, or is not taken, is in the spool and found there.
 */
export class FreshEvents {
  private events: Waiting[] = [];
  /** Since when the first of them is here. */
  private since = 0;
  private lookedAt = -Infinity;
  private mustLook = true;
  private wasFresh = false;

  constructor(
    private readonly limits: FreshLimits,
    private readonly now: () => number = monotonic,
  ) {}

  /** What could not be read is never urgent. */
  add({ events, areFirst }: Fresh): void {
    const readable = events.filter(({ event }) => event !== null);
    const all = [...this.events, ...readable];
    const isRoom = all.length <= this.limits.most && bytesOf(all) <= this.limits.bytes;
    if (!areFirst || !isRoom) return this.lookFor();
    if (this.events.length === 0) this.since = this.now();
    this.events = all;
  }

  /** Something waits that is not here. */
  lookFor(): void {
    this.mustLook = true;
  }

  /**
   * Those that may be published here. None where it is time to look for others, which is so at most every other time, or where they have
   * been here for long, as in a pause after trouble: another replica may have published them meanwhile.
   */
  take(isOurs: (event: Waiting) => boolean): Waiting[] {
    const isTurnOfOthers = this.wasFresh && this.nextLookMs === 0;
    const areOld = this.now() - this.since > this.limits.everyMs;
    const taken = isTurnOfOthers || areOld ? [] : this.events.filter(isOurs);
    this.events = [];
    this.wasFresh = taken.length > 0;
    return taken;
  }

  /** The spool is looked at now: all that is here is there too. */
  looked(): void {
    this.events = [];
    this.lookedAt = this.now();
    [this.mustLook, this.wasFresh] = [false, false];
  }

  /** A look may have found what was added since. */
  published(events: readonly Waiting[]): void {
    if (this.events.length === 0) return;
    const gone = new Set(events.map(({ seq }) => seq));
    this.events = this.events.filter(({ seq }) => !gone.has(seq));
  }

  /** How long until the spool is to be looked at. */
  get nextLookMs(): number {
    return this.mustLook ? 0 : Math.max(0, this.lookedAt + this.limits.everyMs - this.now());
  }
}

const bytesOf = (events: readonly Waiting[]): number => events.reduce((sum, { body }) => sum + body.length, 0);
