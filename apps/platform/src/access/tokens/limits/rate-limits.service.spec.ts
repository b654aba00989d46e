import { RATE_LIMITS, Refusal } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { RateLimits } from './rate-limits.service.ts';

describe('rate limit by address', () => {
  const caller = { address: '192.0.2.1', client_id: undefined };
  const limits = new RateLimits(
    { ...RATE_LIMITS, token: { burst: 1, per_second: 1, by: 'address' } },
    new ManualClock(new Date('2026-01-01T12:00:00Z')),
    undefined,
  );

  it('accepts and refuses synchronously, because a promise for each token costs too much', () => {
    expect(limits.charge('token', caller)).toBeUndefined();

    expect(() => limits.charge('token', caller)).toThrow(new Refusal('rate_limit.exceeded'));
  });
});
