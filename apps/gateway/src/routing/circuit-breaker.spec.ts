import { CircuitBreaker } from './circuit-breaker.ts';

describe('a breaker', () => {
  const changes: boolean[] = [];
  let breaker: CircuitBreaker;
  beforeEach(() => {
    changes.length = 0;
    breaker = new CircuitBreaker((isOpen) => changes.push(isOpen));
  });
  const fails = (times: number, now = 0) => {
    for (let i = 0; i < times; i++) breaker.enter()('failed', now);
  };

  it('opens after failures in a row, not after as many among successes', () => {
    fails(4);
    breaker.enter()('reached', 0);
    fails(4);
    expect(breaker.msLeft(0)).toBe(0);

    fails(1);
    expect(breaker.msLeft(400)).toBe(600);
    expect(changes).toEqual([true]);
  });

  it('lets one call try after the pause, and all when it got through', () => {
    fails(5);
    expect(breaker.msLeft(1000)).toBe(0);
    const done = breaker.enter();
    expect(breaker.msLeft(1000)).toBeGreaterThan(0);

    done('reached', 1000);
    expect(breaker.msLeft(1000)).toBe(0);
    expect(changes).toEqual([true, false]);
  });

  it('pauses twice as long each time the try fails, up to half a minute', () => {
    fails(5);
    fails(1, 1000);
    expect(breaker.msLeft(1000)).toBe(2000);

    fails(10, 5000);
    expect(breaker.msLeft(5000)).toBe(30_000);
    expect(changes).toEqual([true]);
  });

  it('learns nothing from those that were under way when it opened', () => {
    const underWay = Array.from({ length: 50 }, () => breaker.enter());
    for (const done of underWay) done('failed', 0);

    expect(breaker.msLeft(0)).toBe(1000);
  });

  it('lets another call try when the first one was given up', () => {
    fails(5);
    breaker.enter()('nothing', 1000);

    expect(breaker.msLeft(1000)).toBe(0);
  });
});
