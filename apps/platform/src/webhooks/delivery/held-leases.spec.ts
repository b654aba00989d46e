import { HeldLeases } from './held-leases.ts';

describe('the leases a process holds', () => {
  let now: number;
  let leases: HeldLeases;
  beforeEach(() => {
    now = 1000;
    leases = new HeldLeases(() => now);
    leases.hold([1, 2], 1000, 30_000);
  });

  it('cover what ends before they do', () => {
    expect(leases.covers(1, 29_999)).toBe(true);
    expect(leases.covers(1, 30_000)).toBe(false);
    expect(leases.covers(3, 0)).toBe(false);
  });

  it('run out', () => {
    now += 30_000;
    expect(leases.shards).toEqual([]);
  });

  it('are those the database granted last; what was not held before is new', () => {
    expect(leases.hold([2, 3], 1000, 30_000)).toEqual([3]);
    expect(leases.shards).toEqual([2, 3]);
  });

  it('are new again after they ran out', () => {
    now += 31_000;
    expect(leases.hold([1], now, 30_000)).toEqual([1]);
  });

  it('can be let go', () => {
    leases.letGo();
    expect(leases.covers(1, 0)).toBe(false);
  });
});
