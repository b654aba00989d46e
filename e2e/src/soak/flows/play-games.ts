import fc from 'fast-check';
import { Difference, FlowGame } from './model/flow-game.ts';
import type { FlowTable } from './model/flow-table.ts';
import { gamesOf } from './model/game-steps.ts';

export interface GameOptions {
  games: number;
  /** Steps of each. */
  steps: { least: number; most: number };
  /** With the same numbers the same games are played; `path` names one of them, made as short as it could be. */
  seed: number;
  path?: string | undefined;
  /** After each step. */
  onStep?(): void;
}

/** Where the doors and the model differ, by the shortest game that shows it, and how it is played again. */
export interface FoundDifference {
  seed: number;
  path: string;
  what: string;
}

/** Plays random flows with random parties, faults and repeats, and compares everything with the model after each step. */
export async function playGames(table: FlowTable, { games, steps, seed, path, onStep }: GameOptions): Promise<FoundDifference | undefined> {
  const isPlayed = fc.asyncProperty(gamesOf(steps), async ({ versions, steps: all }) => {
    const game = new FlowGame(table, versions);
    await game.opens();
    for (const [nth, step] of all.entries()) {
      await game.plays(step).catch((error: unknown) => {
        throw new Difference(`step ${nth + 1}, ${step.what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      });
      onStep?.();
    }
  });
  const found = await fc.check(isPlayed, { seed, numRuns: games, ...(path !== undefined && { path }) });
  if (!found.failed) return undefined;
  const [game] = found.counterexample ?? [];
  const said = `${String(found.errorInstance)}\nin ${JSON.stringify(game)}`;
  return { seed: found.seed, path: found.counterexamplePath ?? '', what: said };
}
