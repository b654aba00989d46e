import { RetryBudget } from './retry-budget.ts';

describe('a retry budget', () => {
  const spent = (budget: RetryBudget, tries: number) => Array.from({ length: tries }, () => budget.spend()).filter(Boolean).length;
  const earns = (budget: RetryBudget, requests: number) => void Array.from({ length: requests }, () => budget.earn());

  it('allows its maximum of retries at once, then a share of the requests', () => {
    const budget = new RetryBudget({ share: 0.25, most: 5 });
    expect(spent(budget, 10)).toBe(5);

    earns(budget, 8);
    expect(spent(budget, 10)).toBe(2);
  });

  it('saves unspent retries, up to its maximum', () => {
    const budget = new RetryBudget({ share: 0.5, most: 3 });
    earns(budget, 1000);
    expect(spent(budget, 10)).toBe(3);
  });
});
