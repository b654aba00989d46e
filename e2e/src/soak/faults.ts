import { setTimeout as pause } from 'node:timers/promises';

/** Something that breaks; it is whole again, or on its way there, when the promise settles. */
export interface Fault {
  /** As in "gateway is killed". */
  name: string;
  /** It may wait for its moment, until the signal comes. Answers false where nothing was broken. */
  strike(signal: AbortSignal): Promise<unknown>;
}

export interface FaultSchedule {
  /** How long all is well in between. */
  least: number;
  most: number;
  /** When all is well again. */
  whole(): Promise<void>;
  /** Whether each fault is repaired before the next one comes; otherwise one in a few comes before. */
  isInTurn?: boolean | undefined;
  /** Whether they come in the order of the list; otherwise by chance. */
  isInOrder?: boolean | undefined;
  /** Waits until the next fault would strike in the middle of something. */
  moment?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Hears what breaks. */
  say(line: string): void;
}

/** One fault in so many comes before the last one is repaired. */
const OVERLAPPING = 4;
/** A server that is killed comes back within this time. */
const AWAY_MS = 1000;

/** Breaks one thing after the other: each of the list once, then all of them again, until `stop` is called. */
export class Faults {
  kills = 0;
  /** Something could not be broken or mended; `stop` says what. */
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

  /** Settles when the last one is over; fails with what could not be broken or mended. */
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
      if ((await strike(this.stopping.signal)) !== false) this.kills++;
    }
  }
}

/** A server is killed, stays away for a moment, and comes back with what its disk holds. */
export const awayAndBack = (server: string, restart: (awayMs: number) => Promise<unknown>): Fault => ({
  name: `${server} is killed`,
  strike: () => restart(Math.random() * AWAY_MS),
});

/** Of a server that is killed and restarted by hand. Answers how long it took to start. */
export async function restart(server: { kill(): void; restart(): Promise<unknown> }, awayMs: number): Promise<{ startMs: number }> {
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
