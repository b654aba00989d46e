import { Gathering } from './gathering.ts';

const doubling = (most: number) => {
  const goes: number[][] = [];
  const gathering = new Gathering(
    async (items: readonly number[]) => {
      goes.push([...items]);
      if (items.includes(13)) throw new Error('unlucky');
      return items.map((item) => item * 2);
    },
    { waitMs: () => 1, most },
  );
  return { goes, gathering };
};

describe('work that is gathered', () => {
  it('is done in one go, and everybody has their own answer', async () => {
    const { goes, gathering } = doubling(10);

    expect(await Promise.all([1, 2, 3].map((n) => gathering.ask(n)))).toEqual([2, 4, 6]);
    expect(goes).toEqual([[1, 2, 3]]);
  });

  it('is bounded; the rest shares the next go', async () => {
    const { goes, gathering } = doubling(2);

    expect(await Promise.all([1, 2, 3].map((n) => gathering.ask(n)))).toEqual([2, 4, 6]);
    expect(goes).toEqual([[1, 2], [3]]);
  });

  it('waits for company as long as it is told to at that moment, and not at all when it is alone', async () => {
    let waitMs = 0;
    const goes: number[][] = [];
    const gathering = new Gathering(async (items: readonly number[]) => (goes.push([...items]), items), { waitMs: () => waitMs, most: 10 });

    await gathering.ask(1);
    waitMs = 200;
    const first = gathering.ask(2);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all([first, gathering.ask(3)]);
    expect(goes).toEqual([[1], [2, 3]]);
  });

  it('that fails fails for those who took part, and for nobody after', async () => {
    const { gathering } = doubling(1);

    const unlucky = gathering.ask(13);
    const after = gathering.ask(14);
    await expect(unlucky).rejects.toThrow('unlucky');
    expect(await after).toBe(28);
  });
});
