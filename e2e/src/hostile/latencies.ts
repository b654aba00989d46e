/** Durations in milliseconds, and what share of them is below. */
export class Latencies {
  private readonly all: number[] = [];

  add(ms: number): void {
    this.all.push(ms);
  }

  get count(): number {
    return this.all.length;
  }

  /** The duration that a share of all, 0.99 say, does not exceed; 0 where there is none. */
  quantile(share: number): number {
    const sorted = this.all.toSorted((a, b) => a - b);
    return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  }
}
