import { poll } from './poll.ts';

describe('polling', () => {
  it('ends with the first result', async () => {
    let attempts = 0;

    expect(await poll(async () => (++attempts === 3 ? 'here' : undefined), { everyMs: 1, withinMs: 60_000 })).toBe('here');
    expect(attempts).toBe(3);
  });

  it('ends without a result when the next pause would exceed the deadline, after at least one call', async () => {
    let [attempts, ms] = [0, 0];
    const now = () => ms;
    const ask = () => {
      attempts += 1;
      ms += 4;
      return undefined;
    };

    expect(await poll(ask, { everyMs: 1, withinMs: 10, now })).toBeUndefined();
    expect(attempts).toBe(3);
    expect(await poll(ask, { everyMs: 5, withinMs: 0, now })).toBeUndefined();
    expect(attempts).toBe(4);
  });

  it('stops at once when it is aborted', async () => {
    const stopping = new AbortController();
    const polling = poll(() => undefined, { everyMs: 60_000, withinMs: 120_000, signal: stopping.signal });
    stopping.abort();

    await expect(polling).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('polls before the pause ends when it is woken', async () => {
    let attempts = 0;
    const wakes: (() => void)[] = [];
    const sooner = () => new Promise<void>((resolve) => wakes.push(resolve));
    const answer = poll(() => (++attempts === 3 ? 'here' : undefined), { everyMs: 60_000, withinMs: 600_000, sooner });
    for (const times of [1, 2]) {
      await poll(() => wakes[times - 1], { everyMs: 1, withinMs: 60_000 });
      expect(attempts).toBe(times);
      wakes[times - 1]!();
    }

    expect(await answer).toBe('here');
  });

  it('stops at once when it is aborted, also when it can be woken', async () => {
    const stopping = new AbortController();
    const sooner = () => new Promise<void>(() => {});
    const polling = poll(() => undefined, { everyMs: 60_000, withinMs: 120_000, signal: stopping.signal, sooner });
    stopping.abort();

    await expect(polling).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('fails with the error of the polled call', async () => {
    await expect(poll(() => Promise.reject(new Error('no')), { everyMs: 1, withinMs: 10 })).rejects.toThrow('no');
  });
});
