/** The times in which a server took no connections. */
export class Outages {
  private readonly all: { from: number; to: number }[] = [];

  constructor(private readonly now: () => number = () => performance.now()) {}

  async note<T extends object>(work: () => Promise<T>): Promise<T & { tookMs: number }> {
    const outage = { from: this.now(), to: Infinity };
    this.all.push(outage);
    const result = await work().finally(() => (outage.to = this.now()));
    return { ...result, tookMs: Math.round(outage.to - outage.from) };
  }

  since(moment: number): number {
    const now = this.now();
    return this.all.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, now) - Math.max(from, moment)), 0);
  }

  get longestMs(): number {
    return Math.round(Math.max(0, ...this.all.filter(({ to }) => to < Infinity).map(({ from, to }) => to - from)));
  }
}
