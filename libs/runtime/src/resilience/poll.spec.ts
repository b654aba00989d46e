import { poll } from './poll.ts';

describe('asking until there is an answer', () => {
  it('ends with the first answer', async () => {
    let asked = 0;

    expect(await poll(async () => (++asked === 3 ? 'here' : undefined), { everyMs: 1, withinMs: 60_000 })).toBe('here');
    expect(asked).toBe(3);
  });

  it('ends without one when another pause would last too long, having asked at least once', async () => {
    let [asked, ms] = [0, 0];
    const now = () => ms;
    const ask = () => {
      asked += 1;
      ms += 4;
      return undefined;
    };

    expect(await poll(ask, { everyMs: 1, withinMs: 10, now })).toBeUndefined();
    expect(asked).toBe(3);
    expect(await poll(ask, { everyMs: 5, withinMs: 0, now })).toBeUndefined();
    expect(asked).toBe(4);
  });

  it('ends at once by a signal', async () => {
    const stopping = new AbortController();
    const asked = poll(() => undefined, { everyMs: 60_000, withinMs: 120_000, signal: stopping.signal });
    stopping.abort();

    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('fails as asking does', async () => {
    await expect(poll(() => Promise.reject(new Error('no')), { everyMs: 1, withinMs: 10 })).rejects.toThrow('no');
  });
});
