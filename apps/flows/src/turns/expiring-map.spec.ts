import { ExpiringMap } from './expiring-map.ts';

describe('ExpiringMap', () => {
  let now = 0;
  const kept = new ExpiringMap<string>(2, () => now);

  it('returns an entry until it expires, or is taken or deleted', () => {
    kept.put('a', 'one', 10);
    kept.put('b', 'two', 60);
    expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual(['one', 'two', undefined]);

    now = 10_000;
    expect(kept.get('a')).toBeUndefined();
    kept.put('c', 'three', 60);
    expect(kept.size).toBe(2);
    expect([kept.take('b'), kept.take('b')]).toEqual(['two', undefined]);
    kept.delete('c');
    expect(kept.size).toBe(0);
  });

  it('removes expired entries on forgetEnded', () => {
    kept.put('short', 'one', 10);
    now += 10_000;
    kept.forgetEnded();
    expect(kept.size).toBe(0);
  });

  it('drops the oldest entry when it is full', () => {
    for (const hold of ['a', 'b', 'c']) kept.put(hold, hold, 60);
    expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual([undefined, 'b', 'c']);
    kept.put('b', 'again', 60);
    kept.put('d', 'd', 60);
    expect([kept.get('b'), kept.get('c'), kept.get('d')]).toEqual(['again', undefined, 'd']);
  });
});
