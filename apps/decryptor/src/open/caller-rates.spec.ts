import { ManualClock } from '@codase/runtime/clock';
import { CallerRates } from './caller-rates.ts';

describe('caller rate', () => {
  const reported: [string, number][] = [];
  let clock: ManualClock;
  let rates: CallerRates;
  beforeEach(() => {
    reported.length = 0;
    clock = new ManualClock();
    const limits: Record<string, number> = { careful: 100 };
    rates = new CallerRates({ bulk: 150, limitOf: (caller) => limits[caller] }, (caller, values) => reported.push([caller, values]));
  });
  const opens = (caller: string, values: number) => rates.charge(caller, values, clock.now());

  it('is reported once a minute when it exceeds the bulk threshold', () => {
    opens('backend', 150);
    expect(reported).toEqual([]);

    opens('backend', 1);
    opens('backend', 200);
    opens('other', 100);
    expect(reported).toEqual([['backend', 151]]);

    clock.passes(60_000);
    opens('backend', 151);
    expect(reported).toHaveLength(2);
  });

  it("is refused over the caller's own limit until the minute is over, and reported", () => {
    opens('careful', 90);
    clock.passes(20_000);

    expect(() => opens('careful', 11)).toThrow(
      expect.objectContaining({ key: 'rate_limit.exceeded', retryAfter: 40, message: expect.stringContaining('100 values') as string }),
    );
    expect(reported).toEqual([['careful', 90]]);
    opens('careful', 10);

    clock.passes(40_000);
    expect(() => opens('careful', 100)).not.toThrow();
  });

  it('starts a new minute when the clock was set back', () => {
    opens('careful', 100);
    clock.passes(-3_600_000);

    expect(() => opens('careful', 100)).not.toThrow();
  });
});
