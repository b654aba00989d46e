import { afterFailure, MOST_ATTEMPTS, STEPS, type Step } from './step-table.ts';

describe('the steps of a move @gap D1-5.6', () => {
  const walk = (from: Step): string[] => [from, ...(STEPS[from].next === 'done' ? ['done'] : walk(STEPS[from].next as Step))];

  it('lead to the new region', () => {
    expect(walk('pausing')).toEqual(['pausing', 'settling', 'copying', 'flipping', 'leaving', 'arriving', 'done']);
  });

  it('lead back to the old one', () => {
    expect(walk('returning')).toEqual(['returning', 'forgetting', 'done']);
  });

  it.each(['pausing', 'settling', 'copying'] as const)(
    'return from %s after so many attempts, or at once when it would never work',
    (step) => {
      expect(afterFailure(step, { attempts: MOST_ATTEMPTS - 1, isTransient: true })).toEqual({ step, waitMs: 4000 });
      expect(afterFailure(step, { attempts: MOST_ATTEMPTS, isTransient: true })).toEqual({ step: 'returning', waitMs: 0 });
      expect(afterFailure(step, { attempts: 1, isTransient: false })).toEqual({ step: 'returning', waitMs: 0 });
    },
  );

  it.each(['flipping', 'leaving', 'arriving', 'returning', 'forgetting'] as const)('never return from %s, whatever happens', (step) => {
    for (const isTransient of [true, false]) expect(afterFailure(step, { attempts: 1000, isTransient })).toEqual({ step, waitMs: 30_000 });
  });

  it('are tried again after pauses that double', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((attempts) => afterFailure('leaving', { attempts, isTransient: true }).waitMs);

    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });
});
