import { CircuitBreaker } from './circuit-breaker.ts';

describe('circuit breaker', () => {
  const changes: boolean[] = [];
  let breaker: CircuitBreaker;
  beforeEach(() => {
    changes.length = 0;
    breaker = new CircuitBreaker((isOpen) => changes.push(isOpen));
  });
  const fails = (times: number, now = 0) => {
    for (let i = 0; i < times; i++) breaker.enter()('failed', now);
  };

  it('opens after five failures in a row, but not after as many with a success between', () => {
    fails(4);
    breaker.enter()('reached', 0);
    fails(4);
    expect(breaker.msLeft(0)).toBe(0);

    fails(1);
    expect(breaker.msLeft(400)).toBe(600);
    expect(changes).toEqual([true]);
  });

  it('lets one call try after the pause, and all calls once that one succeeded', () => {
    fails(5);
    expect(breaker.msLeft(1000)).toBe(0);
    const done = breaker.enter();
    expect(breaker.msLeft(1000)).toBeGreaterThan(0);

    done('reached', 1000);
    expect(breaker.msLeft(1000)).toBe(0);
    expect(changes).toEqual([true, false]);
  });

  it('doubles its pause after each failed try, up to 30 seconds', () => {
    fails(5);
    fails(1, 1000);
    expect(breaker.msLeft(1000)).toBe(2000);

    fails(10, 5000);
    expect(breaker.msLeft(5000)).toBe(30_000);
    expect(changes).toEqual([true]);
  });

  it('ignores failures of calls that were in progress when it opened', () => {
    const underWay = Array.from({ length: 50 }, () => breaker.enter());
    for (const done of underWay) done('failed', 0);

    expect(breaker.msLeft(0)).toBe(1000);
  });

  it('lets another call try when the first one was cancelled', () => {
    fails(5);
    breaker.enter()('nothing', 1000);

    expect(breaker.msLeft(1000)).toBe(0);
  });
});
