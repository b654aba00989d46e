import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '@cds/contracts';
import { Latencies } from './latencies.ts';

/** A call that somebody makes again and again, who may. */
export interface Call {
  make(): Promise<unknown>;
  pauseMs: number;
}

/** Those who work as always, each call after the other, while their calls are measured. */
export class GoodCallers {
  /** Of the phase that is under way. */
  latencies = new Latencies();
  /** Calls that failed, by status or by error. */
  readonly failed: Record<string, number> = {};
  private isOver = false;
  private readonly working: Promise<void>[];

  constructor(calls: readonly Call[]) {
    this.working = calls.map((call) => this.work(call));
  }

  /** Begins a new phase, and answers what was measured in the last one. */
  nextPhase(): Latencies {
    const measured = this.latencies;
    this.latencies = new Latencies();
    return measured;
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.working);
  }

  private async work({ make, pauseMs }: Call): Promise<void> {
    while (!this.isOver) {
      const startedAt = performance.now();
      const { latencies } = this;
      await make().catch((error: unknown) => this.note(error));
      latencies.add(performance.now() - startedAt);
      await pause(pauseMs * (0.5 + Math.random()));
    }
  }

  private note(error: unknown): void {
    const what = error instanceof Refusal ? `${error.status} ${error.key}` : (codeOf(error as Error) ?? (error as Error).name);
    this.failed[what] = (this.failed[what] ?? 0) + 1;
  }
}

const codeOf = (error: Error): string | undefined => (error as NodeJS.ErrnoException).code ?? (error.cause as NodeJS.ErrnoException)?.code;
