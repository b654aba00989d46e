import { availableParallelism } from 'node:os';
import { messageOf } from '@codase/command-line';
import { KEEPER_TIMEOUTS, UnitKeeper } from './unit-keeper.ts';
import type { UnitFolders, Unit } from './unit.ts';

/** How many units start at once. A start is mostly computing: more starts than cores only delay the first. */
const AT_ONCE = Math.max(2, availableParallelism());

/** Runs units in the order of their needs, keeps them alive, and stops them in reverse order. */
export class Supervisor {
  private readonly levels: UnitKeeper[][];

  constructor(
    units: readonly Unit[],
    folders: UnitFolders,
    private readonly say: (line: string) => void,
    timeouts = KEEPER_TIMEOUTS,
  ) {
    this.levels = levelsOf(units).map((level) => level.map((unit) => new UnitKeeper(unit, folders, say, timeouts)));
  }

  get running(): { unit: Unit; pid: number | undefined }[] {
    return this.levels.flat().map(({ unit, pid }) => ({ unit, pid }));
  }

  /** Calls `follow` for each unit. Resolves when all are ready, or rejects with the first fault: stop those that did start. */
  async start(follow: (unit: Unit, started: Promise<void>) => Promise<void> = (_, started) => started): Promise<void> {
    for (const level of this.levels) {
      const waiting = [...level];
      const startNext = async () => {
        for (let keeper = waiting.shift(); keeper; keeper = waiting.shift()) await follow(keeper.unit, keeper.start());
      };
      await Promise.all(Array.from({ length: AT_ONCE }, startNext));
    }
  }

  /** Loads the code of one unit for its next process: see `UnitKeeper.prepare`. */
  prepare(name: string, superseded: AbortSignal): Promise<void> {
    return this.keeperOf(name).prepare(superseded);
  }

  /** Restarts one unit, and leaves all others alone: see `UnitKeeper.restart`. */
  restart(name: string, leaveMs: number, superseded: AbortSignal): Promise<void> {
    return this.keeperOf(name).restart(leaveMs, superseded);
  }

  /** Stops all units. A unit that does not stop is reported, and the others are stopped all the same. */
  async stop(): Promise<void> {
    for (const level of this.levels.toReversed()) {
      await Promise.all(level.map((keeper) => keeper.stop().catch((error: unknown) => this.say(messageOf(error)))));
    }
  }

  kill(): void {
    for (const keeper of this.levels.flat()) keeper.kill();
  }

  private keeperOf(name: string): UnitKeeper {
    const keeper = this.levels.flat().find(({ unit }) => unit.name === name);
    if (!keeper) throw new Error(`${name} is not in the stack`);
    return keeper;
  }
}

/** Returns the units in levels: each unit needs only units of levels before its own. */
export function levelsOf(units: readonly Unit[]): Unit[][] {
  const names = new Set(units.map(({ name }) => name));
  for (const { name, needs = [] } of units) {
    const unknown = needs.find((need) => !names.has(need));
    if (unknown !== undefined) throw new Error(`${name} needs ${unknown}, which is not in the stack`);
  }
  const placed = new Set<string>();
  const levels: Unit[][] = [];
  while (placed.size < units.length) {
    const level = units.filter(({ name, needs = [] }) => !placed.has(name) && needs.every((need) => placed.has(need)));
    if (level.length === 0) throw new Error(`these units need each other: ${[...names].filter((name) => !placed.has(name)).join(', ')}`);
    for (const { name } of level) placed.add(name);
    levels.push(level);
  }
  return levels;
}
