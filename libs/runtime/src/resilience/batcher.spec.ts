import { AsyncLocalStorage } from 'node:async_hooks';
import { Batcher, type BatcherOptions } from './batcher.ts';

/** Doubles numbers in batches, and keeps the batches. */
const doubling = (options: Partial<BatcherOptions<number>> = {}) => {
  const batches: number[][] = [];
  const work = async (items: number[]) => {
    batches.push(items);
    if (items.includes(13)) throw new Error('unlucky');
    return items.map((item) => item * 2);
  };
  return { batches, batcher: new Batcher(work, { most: 10, waitMs: () => 1, ...options }) };
};

describe('the batcher', () => {
  it('processes concurrent items in one batch and returns each caller its own result', async () => {
    const { batches, batcher } = doubling();

    expect(await Promise.all([1, 2, 3].map((n) => batcher.add(n)))).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it('puts items over the maximum size into the next batch', async () => {
    const { batches, batcher } = doubling({ most: 2 });

    expect(await Promise.all([1, 2, 3].map((n) => batcher.add(n)))).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2], [3]]);
  });

  it('limits a batch by weight, and processes an item over the limit in a batch of its own', async () => {
    const { batches, batcher } = doubling({ weight: { of: (n) => n, most: () => 10 } });

    await Promise.all([4, 5, 6, 99, 1].map((n) => batcher.add(n)));
    expect(batches).toEqual([[4, 5], [6], [99], [1]]);
  });

  it('waits for more items as long as its setting says at that moment, or not at all', async () => {
    let waitMs = 0;
    const { batches, batcher } = doubling({ waitMs: () => waitMs });

    await batcher.add(1);
    waitMs = 200;
    const first = batcher.add(2);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all([first, batcher.add(3)]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('fails only the callers whose batch failed', async () => {
    const { batcher } = doubling({ most: 1 });

    const unlucky = batcher.add(13);
    const after = batcher.add(14);
    await expect(unlucky).rejects.toThrow('unlucky');
    expect(await after).toBe(28);
  });

  it.each([1, 2])('runs at most %d batches at once; items added meanwhile share the next batch', async (concurrency) => {
    const open: (() => void)[] = [];
    const batches: number[][] = [];
    const slow = async (items: number[]) => {
      batches.push(items);
      await new Promise<void>((resolve) => open.push(resolve));
      return items;
    };
    const batcher = new Batcher(slow, { most: 10, concurrency });
    const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

    const added: Promise<number>[] = [];
    for (const n of [1, 2, 3, 4]) {
      added.push(batcher.add(n));
      await turns();
    }
    expect(batches).toEqual([[1], [2], [3], [4]].slice(0, concurrency));
    while (open.length > 0) {
      open.shift()!();
      await turns();
    }
    await Promise.all(added);
    expect(batches.at(concurrency)).toEqual([1, 2, 3, 4].slice(concurrency));
  });

  it('runs a batch in the trace of its first item, also when that item waited for another batch', async () => {
    const trace = new AsyncLocalStorage<string>();
    const traces: (string | undefined)[] = [];
    const batcher = new Batcher(
      async (items: number[]) => {
        traces.push(trace.getStore());
        await new Promise((resolve) => setTimeout(resolve, 5));
        return items;
      },
      { most: 10 },
    );

    const first = trace.run('first', () => batcher.add(1));
    await new Promise((resolve) => setTimeout(resolve, 2));
    await Promise.all([first, trace.run('second', () => batcher.add(2))]);
    expect(traces).toEqual(['first', 'second']);
  });
});
