import { setTimeout as pause } from 'node:timers/promises';

/** A fault. When its promise settles, the broken part works again or is about to. */
export interface Fault {
  /** The name of the fault, as in "gateway is killed". */
  name: string;
  /** Breaks something, possibly after waiting for the right moment, until the signal comes. Returns false when nothing was broken. */
  strike(signal: AbortSignal): Promise<unknown>;
}

/** A fault that is planned before anything is started, and the service that it hits, if it hits one of ours. */
export interface PlannedFault<Unit extends string, Target> {
  unit?: Unit;
  /** Makes the fault. Absent for a kill of Postgres, which every soak can make. */
  on?(target: Target): Fault;
}

/**
 * Plans the faults of a soak: all that there are, or so many, chosen at random, for a short one. Then only the services that a short soak
 * hits need processes of their own, which cost a second of CPU each.
 */
export function planFaults<Unit extends string, Target>(all: readonly PlannedFault<Unit, Target>[], count: number = all.length) {
  const planned = shuffled(all).slice(0, count);
  const units = new Set(planned.map(({ unit }) => unit));
  return {
    isHit: (unit: Unit): boolean => units.has(unit),
    on: (target: Target) => ({
      faults: planned.flatMap((fault) => fault.on?.(target) ?? []),
      sparesPostgres: planned.every((fault) => fault.on),
    }),
  };
}

interface FaultSchedule {
  /** The shortest and longest time without a fault, in milliseconds. */
  least: number;
  most: number;
  whole(): Promise<void>;
  /** Whether each fault is repaired before the next one. Otherwise some faults come earlier. */
  isInTurn?: boolean | undefined;
  /** Whether faults come in the order of the list. Otherwise in random order. */
  isInOrder?: boolean | undefined;
  /** Waits for a moment at which the next fault interrupts something. */
  moment?: ((signal: AbortSignal) => Promise<void>) | undefined;
  say(line: string): void;
}

/** One fault in this many comes before the previous one is repaired. */
const OVERLAPPING = 4;
/** A server that is killed comes back within this time. */
export const AWAY_MS = 1000;

/** Breaks one thing after the other: each of the list once, then all of them again, until `stop` is called. */
export class Faults {
  kills = 0;
  private readonly struck = new Set<string>();
  /** Whether something could not be broken or repaired. `stop` throws the reason. */
  isStuck = false;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(
    private readonly list: readonly Fault[],
    private readonly schedule: FaultSchedule,
  ) {
    this.running = this.run();
    this.running.catch(() => (this.isStuck = true));
  }

  /** How many faults of the list have struck at least once. */
  get kinds(): number {
    return this.struck.size;
  }

  /** Stops, and settles when the last fault is over. Throws when something could not be broken or repaired. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { least, most, whole, isInTurn = false, isInOrder = false, moment, say } = this.schedule;
    if (this.list.length === 0) return;
    for (let bag: Fault[] = []; ;) {
      if (isInTurn || Math.random() * OVERLAPPING > 1) await whole();
      await pause(least + Math.random() * (most - least), undefined, { signal: this.stopping.signal }).catch(() => undefined);
      await moment?.(this.stopping.signal);
      if (this.stopping.signal.aborted) return;
      if (bag.length === 0) bag = isInOrder ? this.list.toReversed() : shuffled(this.list);
      const { name, strike } = bag.pop()!;
      say(name);
      if ((await strike(this.stopping.signal)) === false) continue;
      this.kills++;
      this.struck.add(name);
    }
  }
}

export const awayAndBack = (server: string, restart: (awayMs: number) => Promise<unknown>): Fault => ({
  name: `${server} is killed`,
  strike: () => restart(Math.random() * AWAY_MS),
});

/** A server that can be broken. */
export interface Breakable {
  kill(): void;
  restart(): Promise<unknown>;
}

/** Kills a server and starts it again after a pause. Returns how long the start took. */
export async function restart(server: Breakable, awayMs: number): Promise<{ startMs: number }> {
  server.kill();
  await pause(awayMs);
  const startedAt = performance.now();
  await server.restart();
  return { startMs: Math.round(performance.now() - startedAt) };
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
