import { monotonic, type Monotonic } from '../monotonic.ts';

/**
 * The leases of this process, and until when it may count on them. The time is monotonic and counted from before the request for the lease:
 * for the process a lease ends a little before it ends for the database, never after.
 */
export class HeldLeases<L extends { name: string }> {
  private readonly leases = new Map<string, { lease: L; until: number }>();

  constructor(private readonly now: Monotonic = monotonic) {}

  /** Takes over the leases granted on a request at `requestedAt`, and gives up all others. Returns the shards that are new. */
  hold(granted: readonly L[], requestedAt: number, leaseMs: number): string[] {
    const fresh = granted.flatMap(({ name }) => (this.covers(name) ? [] : [name]));
    this.leases.clear();
    for (const lease of granted) this.leases.set(lease.name, { lease, until: requestedAt + leaseMs });
    return fresh;
  }

  /** Whether this process still holds the shard after `forMs`: work so long is over before another process can begin. */
  covers(name: string, forMs = 0): boolean {
    return (this.leases.get(name)?.until ?? -Infinity) > this.now() + forMs;
  }

  /** The lease on a shard; undefined when this process does not hold the shard for that long. */
  get(name: string, forMs = 0): L | undefined {
    return this.covers(name, forMs) ? this.leases.get(name)!.lease : undefined;
  }

  /** All leases that were granted last, including those that have run out since. */
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
