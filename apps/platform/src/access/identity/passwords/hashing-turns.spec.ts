import { Refusal } from '@codase/contracts';
import { inHashingTurn } from './hashing-turns.ts';
import { costOf, passwordMatches } from './password.ts';

const guess = (owner: string) => inHashingTurn(owner, () => passwordMatches('guess', null, costOf(10)));
const refusedOf = (results: PromiseSettledResult<boolean>[]) => results.filter((one) => one.status === 'rejected');

describe('password hashing queue', () => {
  it('runs one call of an account at a time, and refuses calls over its limit with Retry-After', async () => {
    const crowd = refusedOf(await Promise.allSettled(Array.from({ length: 40 }, () => guess('acme'))));

    expect(crowd).toHaveLength(7);
    expect(crowd[0]!.reason).toBeInstanceOf(Refusal);
    expect(crowd[0]!.reason).toMatchObject({ key: 'rate_limit.exceeded', retryAfter: 1 });
  });

  it('serves other accounts before a queue of ninety calls of one company is done', async () => {
    const many = Promise.allSettled(Array.from({ length: 90 }, () => guess('acme')));
    let isOver = false;
    void many.then(() => (isOver = true));

    const others = await Promise.allSettled(Array.from({ length: 60 }, (_, nth) => guess(`company ${nth % 20}`)));

    expect(refusedOf(others)).toEqual([]);
    expect(isOver).toBe(false);
    expect(refusedOf(await many).length).toBeGreaterThan(0);
  });
});
