import { backoffMs, withJitter } from './backoff.ts';

describe('backoff between attempts', () => {
  const backoff = { firstMs: 100, longestMs: 1000 };

  it('doubles the pause after each failure, up to the maximum', () => {
    expect([1, 2, 3, 4, 5, 10_000].map((failures) => backoffMs(backoff, failures))).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it('lengthens the pause by random jitter, and never shortens it', () => {
    expect(backoffMs({ ...backoff, jitter: 0.5 }, 1, () => 0)).toBe(100);
    expect(backoffMs({ ...backoff, jitter: 0.5 }, 1, () => 1)).toBe(150);
    expect(withJitter(1000, 0.1, () => 0.5)).toBe(1050);
  });
});
