import { tally } from './tally.ts';

const effect = (key: string, n: number) => ({ message_id: `${key}${n}`, key, n });

describe('counting what faults did', () => {
  it('finds nothing where all is well, whatever the order between keys', () => {
    expect(tally(['a1', 'b1', 'a2'], [effect('b', 1), effect('a', 1), effect('a', 2)])).toEqual({ lost: 0, duplicated: 0, disordered: 0 });
  });

  it('finds what is lost, what came twice and what came late', () => {
    const effects = [effect('a', 1), effect('a', 3), effect('a', 2), effect('a', 3)];

    expect(tally(['a1', 'a2', 'a3', 'a4'], effects)).toEqual({ lost: 1, duplicated: 1, disordered: 1 });
  });
});
