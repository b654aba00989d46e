/** Durations in milliseconds by the name of the call, and their quantiles. */
export class Latencies {
  private readonly all: { name: string; ms: number }[] = [];

  add(name: string, ms: number): void {
    this.all.push({ name, ms });
  }

  get count(): number {
    return this.all.length;
  }

  get names(): string[] {
    return [...new Set(this.all.map(({ name }) => name))].toSorted();
  }

  /** Returns the duration that this share of all calls, or of those with this name, does not exceed. Returns 0 when there is none. */
  quantile(share: number, of?: string): number {
    const sorted = this.all.filter(({ name }) => of === undefined || name === of).toSorted((a, b) => a.ms - b.ms);
    return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]?.ms ?? 0;
  }
}
