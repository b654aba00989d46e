import fc from 'fast-check';
import { Difference } from './model/compare-run.ts';
import { FlowGame } from './model/flow-game.ts';
import type { FlowTable } from './model/flow-table.ts';
import { gamesOf, type Game } from './model/game-steps.ts';

interface GameOptions {
  games: number;
  steps: { least: number; most: number };
  /** The same numbers play the same games. `path` names one of them, shortened as far as possible. */
  seed: number;
  path?: string | undefined;
  /** How long to look for shorter games that still show a difference. */
  shortenMs: number;
  onStep?(): void;
  /** Called at each difference. After the first one, shorter games with a difference are looked for. */
  onDifference?(what: string): void;
}

/** A difference between the platform and the model, found by the shortest game that shows it, and the numbers to play it again. */
export interface FoundDifference {
  seed: number;
  path: string;
  what: string;
}

/** Plays random flows with random parties, faults and repeats, and compares everything with the model after each step. */
export async function playGames(table: FlowTable, options: GameOptions): Promise<FoundDifference | undefined> {
  const { games, steps, seed, path } = options;
  let shortenUntil = Infinity;
  const isPlayed = fc.asyncProperty(gamesOf(steps), async (game) => {
    if (performance.now() > shortenUntil) return;
    try {
      await playGame(table, game, options);
    } catch (error) {
      shortenUntil = Math.min(shortenUntil, performance.now() + options.shortenMs);
      options.onDifference?.((error as Error).message);
      throw error;
    }
  });
  const found = await fc.check(isPlayed, { seed, numRuns: games, ...(path !== undefined && { path }) });
  if (!found.failed) return undefined;
  const said = `${String(found.errorInstance)}\nin ${JSON.stringify(found.counterexample?.[0])}`;
  return { seed: found.seed, path: found.counterexamplePath ?? '', what: said };
}

async function playGame(table: FlowTable, { versions, steps }: Game, { onStep }: GameOptions): Promise<void> {
  const game = new FlowGame(table, versions);
  await game.opens();
  for (const [nth, step] of steps.entries()) {
    await game.plays(step).catch((error: unknown) => {
      throw new Difference(`step ${nth + 1}, ${step.what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    });
    onStep?.();
  }
  await game.ends();
}
