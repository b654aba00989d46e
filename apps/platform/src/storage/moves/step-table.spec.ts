import { afterFailure, MAX_ATTEMPTS, STEPS, type Step } from './step-table.ts';

describe('steps of a region move @gap D1-5.6', () => {
  const walk = (from: Step): string[] => [from, ...(STEPS[from].next === 'done' ? ['done'] : walk(STEPS[from].next as Step))];

  it('lead from pausing to the new region', () => {
    expect(walk('pausing')).toEqual(['pausing', 'settling', 'copying', 'flipping', 'leaving', 'arriving', 'done']);
  });

  it('lead from returning back to the old region', () => {
    expect(walk('returning')).toEqual(['returning', 'forgetting', 'done']);
  });

  it.each(['pausing', 'settling', 'copying'] as const)(
    'turn back from %s after the maximum of attempts, or at once after a permanent error',
    (step) => {
      expect(afterFailure(step, { attempts: MAX_ATTEMPTS - 1, isTransient: true })).toEqual({ step, waitMs: 4000 });
      expect(afterFailure(step, { attempts: MAX_ATTEMPTS, isTransient: true })).toEqual({ step: 'returning', waitMs: 0 });
      expect(afterFailure(step, { attempts: 1, isTransient: false })).toEqual({ step: 'returning', waitMs: 0 });
    },
  );

  it.each(['flipping', 'leaving', 'arriving', 'returning', 'forgetting'] as const)(
    'never turn back from %s, regardless of the error',
    (step) => {
      for (const isTransient of [true, false])
        expect(afterFailure(step, { attempts: 1000, isTransient })).toEqual({ step, waitMs: 30_000 });
    },
  );

  it('are retried after pauses that double up to 30 seconds', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((attempts) => afterFailure('leaving', { attempts, isTransient: true }).waitMs);

    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });
});
