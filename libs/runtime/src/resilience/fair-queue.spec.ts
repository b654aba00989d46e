import { FairQueue } from './fair-queue.ts';

describe('a fair queue', () => {
  const all = (queue: FairQueue<string>) => Array.from({ length: queue.size }, () => queue.take());

  it('serves its owners in turn, and each in the order of asking', () => {
    const queue = new FairQueue<string>();
    for (const thing of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.put(thing[0]!, thing);

    expect(all(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect(queue.take()).toBeUndefined();
  });

  it('passes over owners that may not be served now, and keeps their turn', () => {
    const queue = new FairQueue<string>();
    for (const thing of ['a1', 'b1', 'c1', 'b2']) queue.put(thing[0]!, thing);

    expect([queue.take((owner) => owner !== 'a'), queue.take(), queue.take((owner) => owner === 'd')]).toEqual(['b1', 'a1', undefined]);
    expect(queue.size).toBe(2);
  });

  it('lets one leave who no longer wants to wait', () => {
    const queue = new FairQueue<string>();
    for (const thing of ['a1', 'a2', 'b1']) queue.put(thing[0]!, thing);

    queue.remove('a', 'a1');
    queue.remove('b', 'b1');
    queue.remove('b', 'b1');

    expect(queue.size).toBe(1);
    expect(all(queue)).toEqual(['a2']);
  });

  it('names the last of the longest line to whoever has less', () => {
    const queue = new FairQueue<string>();
    for (const thing of ['a1', 'a2', 'a3', 'b1']) queue.put(thing[0]!, thing);

    expect(queue.lastOfLonger('newcomer')).toBe('a3');
    expect(queue.lastOfLonger('b')).toBe('a3');
    expect(queue.lastOfLonger('a')).toBeUndefined();
    queue.remove('a', 'a3');
    expect(queue.lastOfLonger('b')).toBeUndefined();
  });

  it('tells how many come before a newcomer', () => {
    const queue = new FairQueue<string>();
    for (let i = 0; i < 100; i++) queue.put('crowd', `crowd${i}`);
    queue.put('a', 'a1');

    expect(queue.ahead('crowd')).toBe(101);
    expect(queue.ahead('a')).toBe(3);
    expect(queue.ahead('newcomer')).toBe(2);
  });
});
