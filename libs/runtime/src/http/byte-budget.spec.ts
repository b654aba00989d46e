import { ByteBudget } from './byte-budget.ts';

describe('a budget of bytes', () => {
  it('gives one owner half, and leaves the other half to others', () => {
    const budget = new ByteBudget(100);

    expect(budget.take('acme', 50)).toBe(true);
    expect(budget.take('acme', 1)).toBe(false);
    expect(budget.take('globex', 25)).toBe(true);
    expect(budget.inUse).toBe(75);
  });

  it('finds room for whoever holds little, though others take all they get', () => {
    const budget = new ByteBudget(1024);
    for (let nth = 0; nth < 8; nth++) while (budget.take(`greedy ${nth}`, 1));

    expect(budget.inUse).toBe(1024 - 4);
    expect(budget.take('modest', 2)).toBe(true);
  });

  it('has room again when bytes are released, and remembers no owner that holds nothing', () => {
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
