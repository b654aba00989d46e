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

describe('a hedged call', () => {
  it('makes one attempt when the result arrives before the pause ends', async () => {
    const { attempt, begun } = attempts();
    const outcome = hedge(attempt, options([60_000]));
    begun[0]!.resolve('first');

    expect(await outcome).toBe('first');
    expect(begun).toHaveLength(1);
  });

  it('repeats the attempt after each pause, and returns the first result of any attempt', async () => {
    const { attempt, begun, until } = attempts();
    const outcome = hedge(attempt, options([1, 1]));
    await until(3);
    begun[1]!.reject(new Error('nobody was there'));
    begun[0]!.resolve('late, and still an answer');

    expect(await outcome).toBe('late, and still an answer');
    expect(begun).toHaveLength(3);
  });

  it('fails with the error of its last attempt, and at once when no other attempt is running', async () => {
    const { attempt, begun, until } = attempts();
    const both = hedge(attempt, options([1]));
    await until(2);
    begun[0]!.reject(new Error('the first'));
    begun[1]!.reject(new Error('the last'));
    await expect(both).rejects.toThrow('the last');

    const alone = hedge(() => Promise.reject(new Error('forbidden')), options([60_000]));
    await expect(alone).rejects.toThrow('forbidden');
  });

  it('fails at once on a final error, even while another attempt is running', async () => {
    const { attempt, begun, until } = attempts();
    const outcome = hedge(attempt, { ...options([1]), isFinal: (error) => (error as Error).message === 'not found' });
    await until(2);
    begun[1]!.reject(new Error('not found'));

    await expect(outcome).rejects.toThrow('not found');
  });

  it('does not repeat the attempt when the retry budget is spent', async () => {
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
