import { randomBytes, randomInt } from 'node:crypto';
import { startPostgres } from '@codase/servers';
import { World } from '@codase/testing';
import { Cleanup } from '../cleanup.ts';
import type { SoakOptions, SoakResult } from '../soak.ts';
import { FlowTable } from './model/flow-table.ts';
import { playGames, type FoundDifference } from './play-games.ts';

export interface FlowsSoakOptions extends SoakOptions {
  /** Plays the games of an earlier soak again. With `path`, plays only the game that it found. */
  seed?: number | undefined;
  path?: string | undefined;
}

const GAMES_AT_ONCE = 10;
/** The games of a world. Each game publishes a flow, and a service may have two hundred. */
const GAMES_OF_A_WORLD = 100;
const STEPS = { least: 5, most: 30 };
const PROGRESS_STEPS = 100;
const SHORTEN_MS = 180_000;

/** Plays this many steps of random games, and compares each with the model. */
export async function flowsSoak({ nats, events, seed, path, signal, progress = () => {} }: FlowsSoakOptions): Promise<SoakResult> {
  const [cleanup, worlds] = [new Cleanup(), new Cleanup()];
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const played = { events: 0, games: 0 };
  const onStep = () => {
    if (++played.events % PROGRESS_STEPS === 0) progress(`${seconds()} s: ${played.events} steps of ${played.games} games and more`);
  };
  const clean = { kills: 0, faults: 0, lost: 0, duplicated: 0, disordered: 0, unexpectedExits: 0 };
  const result = (wrong: number): SoakResult => ({ ...clean, ...played, wrong, seconds: seconds() });
  try {
    const postgres = await startPostgres({ durable: false, password: randomBytes(12).toString('hex') });
    cleanup.push(() => postgres.stop());
    cleanup.push(() => worlds.close());
    let table: FlowTable | undefined;
    for (let next = seed ?? randomInt(1, 2 ** 31); played.events < events; next++) {
      signal?.throwIfAborted();
      if (played.games % GAMES_OF_A_WORLD === 0) {
        await worlds.close();
        table = await openTable(postgres.url, nats, worlds);
      }
      const options = { games: GAMES_AT_ONCE, steps: STEPS, shortenMs: SHORTEN_MS, seed: next, path };
      const found = await playGames(table!, { ...options, onStep, onDifference: progress });
      played.games += GAMES_AT_ONCE;
      if (found) progress(inWords(found));
      if (found || path !== undefined) return result(found ? 1 : 0);
    }
    return result(0);
  } finally {
    await cleanup.close();
  }
}

async function openTable(postgresUrl: string, nats: SoakOptions['nats'], cleanup: Cleanup): Promise<FlowTable> {
  const units = ['front-door', 'region-eu', 'region-us'] as const;
  const world = await World.open({ units, servers: { postgresUrl, nats, durable: false } });
  cleanup.push(() => world.close());
  return FlowTable.open(world, cleanup);
}

const inWords = ({ seed, path, what }: FoundDifference): string =>
  `the run is not as the model says: ${what}\nplay it again with npm run soak -- flows --seed ${seed} --path ${path}`;
