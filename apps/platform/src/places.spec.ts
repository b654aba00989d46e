import { Refusal } from '@cds/contracts';
import { Places, type Full } from './places.ts';

const refusal = (full: Full) => new Refusal('rate_limit.exceeded').because(full);
const placesOf = (room: { total: number; each: number; waitMs?: number }) => new Places({ waitMs: 20, ...room }, refusal);

describe('places', () => {
  it('are a few for the same one, whoever else comes', async () => {
    const places = placesOf({ total: 10, each: 2 });
    const leave = await places.take('acme');
    await places.take('acme');

    await expect(places.take('acme')).rejects.toThrow('own');
    await places.take('bolt');
    leave();
    await places.take('acme');
  });

  it('are so many in all, and each given back is one to take', async () => {
    const places = placesOf({ total: 3, each: 2 });
    const [leave] = await Promise.all(['acme', 'bolt', 'core'].map((whose) => places.take(whose)));

    await expect(places.take('dune')).rejects.toThrow('all');
    leave!();
    await places.take('dune');
    await expect(places.take('edge')).rejects.toThrow('all');
  });

  it('are waited for in turn; who may not come yet lets others by', async () => {
    const places = placesOf({ total: 2, each: 1, waitMs: 5000 });
    const came: string[] = [];
    const [acme, bolt] = [await places.take('acme'), await places.take('bolt')];
    const waiting = ['acme', 'core', 'dune'].map((whose) => places.take(whose).then((leave) => [came.push(whose), leave] as const));

    bolt();
    const [, core] = await waiting[1]!;
    acme();
    await waiting[0];
    expect(came).toEqual(['core', 'acme']);
    core();
    await waiting[2];
  });

  it('are waited for by as many of the same one as may have one', async () => {
    const places = placesOf({ total: 2, each: 1, waitMs: 5000 });
    const leave = await places.take('acme');
    const second = places.take('acme');

    await expect(places.take('acme')).rejects.toThrow('own');
    leave();
    await second;
  });
});
