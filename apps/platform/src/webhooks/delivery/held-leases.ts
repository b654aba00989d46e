/**
 * The parts this process may deliver for, and until when. Time is measured here from before the lease was asked for, by a clock that nobody
 * sets: this process believes a lease to end a little before the database does, never after.
 */
export class HeldLeases {
  private readonly until = new Map<number, number>();
  private readonly elapsedMs: () => number;

  constructor(elapsedMs: () => number = () => performance.now()) {
    this.elapsedMs = elapsedMs;
  }

  /** What the database has just granted, asked for at a reading of `elapsedMs`; everything else is given up. Answers what is new. */
  hold(shards: readonly number[], askedAt: number, leaseMs: number): number[] {
    const fresh = shards.filter((shard) => !this.covers(shard, 0));
    this.until.clear();
    for (const shard of shards) this.until.set(shard, askedAt + leaseMs);
    return fresh;
  }

  /** Whether the part is still this process's own after so long: a delivery that begins now is over before anybody else can begin one. */
  covers(shard: number, ms: number): boolean {
    return (this.until.get(shard) ?? -Infinity) > this.elapsedMs() + ms;
  }

  /** Begins nothing more. */
  letGo(): void {
    this.until.clear();
  }

  get shards(): number[] {
    return [...this.until.keys()].filter((shard) => this.covers(shard, 0));
  }
}
