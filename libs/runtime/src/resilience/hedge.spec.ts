import { hedge } from './hedge.ts';
import { RetryBudget } from './retry-budget.ts';

const METRIC = { name: 'test.hedged', kind: 'counter', unit: '{attempt}', what: 'Repeats of a test' } as const;

/** Attempts that the test answers. */
function attempts() {
  const begun: { resolve(value: string): void; reject(error: Error): void }[] = [];
  const more: (() => void)[] = [];
  return {
    begun,
    attempt: () =>
      new Promise<string>((resolve, reject) => {
        begun.push({ resolve, reject });
        more.splice(0).forEach((go) => go());
      }),
    until: async (count: number) => {
      while (begun.length < count) await new Promise<void>((resolve) => more.push(resolve));
    },
  };
}

const options = (afterMs: readonly number[], most = 10) => ({ afterMs, budget: new RetryBudget({ share: 0, most }), metric: METRIC });

describe('a hedged attempt', () => {
  it('is made once where its outcome comes in time', async () => {
    const { attempt, begun } = attempts();
    const outcome = hedge(attempt, options([60_000]));
    begun[0]!.resolve('first');

    expect(await outcome).toBe('first');
    expect(begun).toHaveLength(1);
  });

  it('is repeated while there is no outcome, as often as there are pauses, and the first result counts', async () => {
    const { attempt, begun, until } = attempts();
    const outcome = hedge(attempt, options([1, 1]));
    await until(3);
    begun[1]!.reject(new Error('nobody was there'));
    begun[0]!.resolve('late, and still an answer');

    expect(await outcome).toBe('late, and still an answer');
    expect(begun).toHaveLength(3);
  });

  it('fails with the last of its attempts, and at once where nothing else is under way', async () => {
    const { attempt, begun, until } = attempts();
    const both = hedge(attempt, options([1]));
    await until(2);
    begun[0]!.reject(new Error('the first'));
    begun[1]!.reject(new Error('the last'));
    await expect(both).rejects.toThrow('the last');

    const alone = hedge(() => Promise.reject(new Error('forbidden')), options([60_000]));
    await expect(alone).rejects.toThrow('forbidden');
  });

  it('fails at once with an error that is final, though another attempt is under way', async () => {
    const { attempt, begun, until } = attempts();
    const outcome = hedge(attempt, { ...options([1]), isFinal: (error) => (error as Error).message === 'not found' });
    await until(2);
    begun[1]!.reject(new Error('not found'));

    await expect(outcome).rejects.toThrow('not found');
  });

  it('is not repeated where the budget is spent: who is slow is not asked ever more often', async () => {
    const [waiting, other] = [attempts(), attempts()];
    const shared = options([1], 1);
    const [one, two] = [hedge(waiting.attempt, shared), hedge(other.attempt, shared)];
    await waiting.until(2);
    await new Promise((resolve) => setTimeout(resolve, 5)); // the other's pause is over too, because both began at once
    waiting.begun[0]!.resolve('answered');
    other.begun[0]!.resolve('answered');

    expect(await Promise.all([one, two])).toEqual(['answered', 'answered']);
    expect(other.begun).toHaveLength(1);
  });
});
