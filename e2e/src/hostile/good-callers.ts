import { Refusal } from '@codase/contracts';

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

export interface Call {
  name: string;
  make(): Promise<unknown>;
  everyMs: number;
}

/** Callers who work as usual, each at a fixed rate with one call under way at most, so that every phase measures the same work. */
export class GoodCallers {
  latencies = new Latencies();
  readonly failed: Record<string, number> = {};
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly pending = new Set<Promise<void>>();

  constructor(calls: readonly Call[]) {
    for (const [nth, call] of calls.entries()) this.timers.push(setTimeout(() => this.repeat(call), (call.everyMs * nth) / calls.length));
  }

  nextPhase(): Latencies {
    const measured = this.latencies;
    this.latencies = new Latencies();
    return measured;
  }

  async end(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.pending);
  }

  private repeat(call: Call): void {
    let isUnderWay = false;
    const begin = async () => {
      if (isUnderWay) return;
      isUnderWay = true;
      await this.measure(call);
      isUnderWay = false;
    };
    const begun = () => {
      const working: Promise<void> = begin().finally(() => this.pending.delete(working));
      this.pending.add(working);
    };
    this.timers.push(setInterval(begun, call.everyMs));
  }

  /** Measures a call, and those that became due meanwhile as if they had waited: else a stall would count as one slow call. */
  private async measure({ name, make, everyMs }: Call): Promise<void> {
    const startedAt = performance.now();
    const { latencies } = this;
    await make().catch((error: unknown) => this.note(error));
    for (let ms = performance.now() - startedAt; ms > 0; ms -= everyMs) latencies.add(name, ms);
  }

  private note(error: unknown): void {
    const what = error instanceof Refusal ? `${error.status} ${error.key}` : (codeOf(error as Error) ?? (error as Error).name);
    this.failed[what] = (this.failed[what] ?? 0) + 1;
  }
}

const codeOf = (error: Error): string | undefined => (error as NodeJS.ErrnoException).code ?? (error.cause as NodeJS.ErrnoException)?.code;
