import { ExpiringMap } from './expiring-map.ts';

describe('what is remembered for a while', () => {
  let now = 0;
  const kept = new ExpiringMap<string>(2, () => now);

  it('stays until its time is over, or until it is taken or deleted', () => {
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

  it('is forgotten when its time is over, also where nothing more is put', () => {
    kept.put('short', 'one', 10);
    now += 10_000;
    kept.forgetEnded();
    expect(kept.size).toBe(0);
  });

  it('is no more than so much: the oldest goes first', () => {
    for (const hold of ['a', 'b', 'c']) kept.put(hold, hold, 60);
    expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual([undefined, 'b', 'c']);
    kept.put('b', 'again', 60);
    kept.put('d', 'd', 60);
    expect([kept.get('b'), kept.get('c'), kept.get('d')]).toEqual(['again', undefined, 'd']);
  });
});
