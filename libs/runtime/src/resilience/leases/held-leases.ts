import { monotonic, type Monotonic } from '../monotonic.ts';

/**
 * The leases of this process, and until when it may count on them. Measured from before they were asked for, in monotonic time: the process
 * believes a lease to end a little before the database does, never after.
 */
export class HeldLeases<L extends { name: string }> {
  private readonly leases = new Map<string, { lease: L; until: number }>();

  constructor(private readonly now: Monotonic = monotonic) {}

  /** What the database has just granted, asked for at the time `askedAt`; everything else is given up. Answers the shards that are new. */
  hold(granted: readonly L[], askedAt: number, leaseMs: number): string[] {
    const fresh = granted.flatMap(({ name }) => (this.covers(name) ? [] : [name]));
    this.leases.clear();
    for (const lease of granted) this.leases.set(lease.name, { lease, until: askedAt + leaseMs });
    return fresh;
  }

  /** Whether the shard is still ours after so long: what begins now and takes no longer is over before another process can begin. */
  covers(name: string, forMs = 0): boolean {
    return (this.leases.get(name)?.until ?? -Infinity) > this.now() + forMs;
  }

  /** The lease on a shard that is still ours after so long. */
  get(name: string, forMs = 0): L | undefined {
    return this.covers(name, forMs) ? this.leases.get(name)!.lease : undefined;
  }

  /** All that were granted last, those too that have run out since. */
  all(): L[] {
    return Array.from(this.leases.values(), ({ lease }) => lease);
  }

  get names(): string[] {
    return [...this.leases.keys()].filter((name) => this.covers(name));
  }

  letGo(): void {
    this.leases.clear();
  }
}
