import { isTransient } from '@cds/runtime/resilience';
import { eventually } from '@cds/testing';
import { setTimeout as pause } from 'node:timers/promises';

/** Good callers call all the time, but not as often as they can: what they see is the point, not how much they take. */
const PAUSE_MS = 200;

/** Callers that work without end, and what was refused them. */
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

  /** Comes back when every caller has ended so many calls that began since. */
  async rounds(count: number): Promise<void> {
    const before = new Map(this.calls);
    await eventually(async () => [...this.calls].every(([name, calls]) => calls > before.get(name)! + count) || undefined);
  }

  /** Does something while no call is under way, as letting time pass: a sign-in does not take half an hour. */
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

/** As a good caller does: what a busy machine could not do just now is asked for again. A key that is wrong stays wrong. */
async function patiently(call: () => Promise<unknown>, attempts = 5): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (attempts === 1 || !isTransient(error)) throw error;
    await pause(PAUSE_MS);
    return patiently(call, attempts - 1);
  }
}
