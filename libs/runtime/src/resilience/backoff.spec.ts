import { backoffMs, withJitter } from './backoff.ts';

describe('pauses between attempts', () => {
  const backoff = { firstMs: 100, longestMs: 1000 };

  it('double up to the longest, however often it failed', () => {
    expect([1, 2, 3, 4, 5, 10_000].map((failures) => backoffMs(backoff, failures))).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it('are longer by a random part where that is wanted, and never shorter', () => {
    expect(backoffMs({ ...backoff, jitter: 0.5 }, 1, () => 0)).toBe(100);
    expect(backoffMs({ ...backoff, jitter: 0.5 }, 1, () => 1)).toBe(150);
    expect(withJitter(1000, 0.1, () => 0.5)).toBe(1050);
  });
});
