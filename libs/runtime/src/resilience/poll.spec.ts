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

  it('asks before the pause is over when that is worth it, and goes on without the rest of the pause', async () => {
    let asked = 0;
    const wakes: (() => void)[] = [];
    const sooner = () => new Promise<void>((resolve) => wakes.push(resolve));
    const answer = poll(() => (++asked === 3 ? 'here' : undefined), { everyMs: 60_000, withinMs: 600_000, sooner });
    for (const times of [1, 2]) {
      await poll(() => wakes[times - 1], { everyMs: 1, withinMs: 60_000 });
      expect(asked).toBe(times);
      wakes[times - 1]!();
    }

    expect(await answer).toBe('here');
  });

  it('ends at once by a signal, also where it may be woken', async () => {
    const stopping = new AbortController();
    const sooner = () => new Promise<void>(() => {});
    const asked = poll(() => undefined, { everyMs: 60_000, withinMs: 120_000, signal: stopping.signal, sooner });
    stopping.abort();

    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('fails as asking does', async () => {
    await expect(poll(() => Promise.reject(new Error('no')), { everyMs: 1, withinMs: 10 })).rejects.toThrow('no');
  });
});
