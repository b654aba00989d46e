import { HeldLeases } from './held-leases.ts';

const leases = (...names: string[]) => names.map((name) => ({ name }));

describe('the leases of a process', () => {
  let now: number;
  let held: HeldLeases<{ name: string }>;
  beforeEach(() => {
    now = 1000;
    held = new HeldLeases(() => now);
    held.hold(leases('1', '2'), 1000, 30_000);
  });

  it('cover only work that ends before they expire', () => {
    expect(held.covers('1', 29_999)).toBe(true);
    expect(held.covers('1', 30_000)).toBe(false);
    expect(held.covers('3')).toBe(false);
    expect([held.get('1', 29_999), held.get('1', 30_000)]).toEqual([{ name: '1' }, undefined]);
  });

  it('expire', () => {
    now += 30_000;
    expect(held.names).toEqual([]);
    expect(held.all()).toEqual(leases('1', '2'));
  });

  it('are replaced by the latest grant of the database, and only additional leases are reported as new', () => {
    expect(held.hold(leases('2', '3'), 1000, 30_000)).toEqual(['3']);
    expect(held.names).toEqual(['2', '3']);
  });

  it('count as new again after they expired', () => {
    now += 31_000;
    expect(held.hold(leases('1'), now, 30_000)).toEqual(['1']);
  });

  it('can be released', () => {
    held.letGo();
    expect(held.covers('1')).toBe(false);
  });
});
