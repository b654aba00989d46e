import { isTransient } from '@codase/runtime/resilience';
import { eventually } from '@codase/testing';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * The pause between two calls of a caller. Callers call all the time, but not as often as they can: the tests are about what they see, not
 * about throughput.
 */
const PAUSE_MS = 200;

/** Callers that call until the end, and the calls that were refused. */
export class Load {
  readonly calls = new Map<string, number>();
  readonly refused: string[] = [];
  private readonly loops: Promise<void>[] = [];
  private isOver = false;
  private inFlight = 0;
  private gate: Promise<void> = Promise.resolve();

  runs(name: string, call: () => Promise<unknown>): void {
    this.calls.set(name, 0);
    this.loops.push(this.repeats(name, call));
  }

  /** Resolves when every caller has completed `count` calls that began after this one. */
  async rounds(count: number): Promise<void> {
    const before = new Map(this.calls);
    await eventually(async () => [...this.calls].every(([name, calls]) => calls > before.get(name)! + count) || undefined);
  }

  /** Does the work while no call is under way. Letting time pass is such work: a sign-in does not take half an hour. */
  async between(work: () => Promise<void>): Promise<void> {
    let open!: () => void;
    this.gate = new Promise((resolve) => (open = resolve));
    try {
      await eventually(async () => this.inFlight === 0 || undefined);
      await work();
    } finally {
      open();
    }
  }

  async ends(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.loops);
  }

  private async repeats(name: string, call: () => Promise<unknown>): Promise<void> {
    for (; !this.isOver; await pause(PAUSE_MS)) {
      await this.gate;
      this.inFlight += 1;
      await patiently(call).catch((error: unknown) => this.refused.push(`${name}: ${String(error)}`));
      this.inFlight -= 1;
      this.calls.set(name, this.calls.get(name)! + 1);
    }
  }
}

/** Makes a call again after a transient failure, as a good caller does: a busy machine may fail for a moment. A wrong key stays wrong. */
async function patiently(call: () => Promise<unknown>, attempts = 5): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (attempts === 1 || !isTransient(error)) throw error;
    await pause(PAUSE_MS);
    return patiently(call, attempts - 1);
  }
}
