import { ByteBudget } from './byte-budget.ts';

describe('a byte budget', () => {
  it('gives one owner at most half of the free bytes', () => {
    const budget = new ByteBudget(100);

    expect(budget.take('acme', 50)).toBe(true);
    expect(budget.take('acme', 1)).toBe(false);
    expect(budget.take('globex', 25)).toBe(true);
    expect(budget.inUse).toBe(75);
  });

  it('keeps bytes free for a new owner when many owners take all they can', () => {
    const budget = new ByteBudget(1024);
    for (let nth = 0; nth < 8; nth++) while (budget.take(`greedy ${nth}`, 1));

    expect(budget.inUse).toBe(1024 - 4);
    expect(budget.take('modest', 2)).toBe(true);
  });

  it('frees released bytes, and forgets an owner that has none left', () => {
    const changes: number[] = [];
    const budget = new ByteBudget(100, (by) => changes.push(by));
    budget.take('acme', 40);
    budget.add('acme', 200);
    expect([budget.take('globex', 1), budget.take('globex', 0), budget.take('acme', 0)]).toEqual([false, true, false]);

    budget.release('acme', 200);
    budget.release('acme', 40);

    expect(budget.inUse).toBe(0);
    expect(changes).toEqual([40, 200, -200, -40]);
    expect(budget.take('acme', 50)).toBe(true);
  });
});
