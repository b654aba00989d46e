import { randomInt } from 'node:crypto';
import { World } from '@codase/testing';
import { Cleanup } from '../src/soak/cleanup.ts';
import { FlowTable } from '../src/soak/flows/model/flow-table.ts';
import { playGames } from '../src/soak/flows/play-games.ts';

describe('runs of random flows @spec D2-3 @spec D2-7', () => {
  const cleanup = new Cleanup();
  let table: FlowTable;
  beforeAll(async () => {
    const world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    cleanup.push(() => world.close());
    table = await FlowTable.open(world, cleanup);
  });
  afterAll(() => cleanup.close());

  it('match the model after every step, even with repeated, wrong, concurrent or failing requests', async () => {
    let steps = 0;
    const options = { games: 4, steps: { least: 8, most: 14 }, seed: randomInt(1, 2 ** 31), shortenMs: 20_000 };

    expect(await playGames(table, { ...options, onStep: () => void steps++ })).toBeUndefined();
    expect(steps).toBeGreaterThanOrEqual(32);
  });
});
