import { FairQueue } from './fair-queue.ts';

describe('a fair queue', () => {
  const all = (queue: FairQueue<string>) => Array.from({ length: queue.size }, () => queue.take());

  it('serves its owners in turn, and the items of each owner in order', () => {
    const queue = new FairQueue<string>();
    for (const thing of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.put(thing[0]!, thing);

    expect(all(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect(queue.take()).toBeUndefined();
  });

  it('skips an owner that must not be served now, and keeps its turn', () => {
    const queue = new FairQueue<string>();
    for (const thing of ['a1', 'b1', 'c1', 'b2']) queue.put(thing[0]!, thing);

    expect([queue.take((owner) => owner !== 'a'), queue.take(), queue.take((owner) => owner === 'd')]).toEqual(['b1', 'a1', undefined]);
    expect(queue.size).toBe(2);
  });

  it('removes an item before its turn', () => {
    const queue = new FairQueue<string>();
    for (const thing of ['a1', 'a2', 'b1']) queue.put(thing[0]!, thing);

    queue.remove('a', 'a1');
    queue.remove('b', 'b1');
    queue.remove('b', 'b1');

    expect(queue.size).toBe(1);
    expect(all(queue)).toEqual(['a2']);
  });

  it('finds the last item of the longest line, for an owner with a shorter line', () => {
    const queue = new FairQueue<string>();
    for (const thing of ['a1', 'a2', 'a3', 'b1']) queue.put(thing[0]!, thing);

    expect(queue.lastOfLonger('newcomer')).toBe('a3');
    expect(queue.lastOfLonger('b')).toBe('a3');
    expect(queue.lastOfLonger('a')).toBeUndefined();
    queue.remove('a', 'a3');
    expect(queue.lastOfLonger('b')).toBeUndefined();
  });

  it('counts how many items come before a new one', () => {
    const queue = new FairQueue<string>();
    for (let i = 0; i < 100; i++) queue.put('crowd', `crowd${i}`);
    queue.put('a', 'a1');

    expect(queue.ahead('crowd')).toBe(101);
    expect(queue.ahead('a')).toBe(3);
    expect(queue.ahead('newcomer')).toBe(2);
  });
});
