import { addUp, judgeTexts, NO_FAULTS, tally } from './tally.ts';

const effect = (key: string, n: number) => ({ message_id: `${key}${n}`, key, n });

describe('the tally of a soak', () => {
  it('finds nothing when all effects are in order within their keys', () => {
    expect(tally(['a1', 'b1', 'a2'], [effect('b', 1), effect('a', 1), effect('a', 2)])).toEqual({ lost: 0, duplicated: 0, disordered: 0 });
  });

  it('counts lost, repeated and late effects', () => {
    const effects = [effect('a', 1), effect('a', 3), effect('a', 2), effect('a', 3)];

    expect(tally(['a1', 'a2', 'a3', 'a4'], effects)).toEqual({ lost: 1, duplicated: 1, disordered: 1 });
  });

  it('judges texts by their order, and those that nobody expected as wrong', () => {
    expect(judgeTexts(['one', 'two', 'three'], ['two', 'one', 'other', 'one'])).toEqual({
      lost: 1,
      duplicated: 1,
      disordered: 2,
      wrong: 1,
    });
  });

  it('adds up the channels, where one may lack a count', () => {
    const clean = { ...NO_FAULTS, repeated: 0 };

    expect(addUp({ ...clean, lost: 1, repeated: 1 }, { ...NO_FAULTS, lost: 2, wrong: 1 })).toEqual({
      ...clean,
      lost: 3,
      repeated: 1,
      wrong: 1,
    });
  });
});
