import { retry, type RetryOptions } from './retry.ts';
import { RUNTIME_METRICS } from '../telemetry/metrics.ts';

const refused = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const options = { backoff: { firstMs: 1, longestMs: 2 }, metric: RUNTIME_METRICS.connectRetried } as const;

/** Work whose first `times` attempts fail. */
function failing(times: number, failure: () => Error = refused) {
  const work = { attempts: 0, run: async () => (work.attempts++ < times ? Promise.reject(failure()) : 'done') };
  return work;
}
const attemptsAt = async (work: ReturnType<typeof failing>, more: Pick<RetryOptions, 'bound'> & Partial<RetryOptions>) => {
  const outcome = await retry(work.run, { ...options, ...more }).catch((error: Error) => error.message);
  return [outcome, work.attempts];
};

describe('retried work', () => {
  it('is attempted until it succeeds', async () => {
    const failures: number[] = [];
    const bound = { attempts: 5 };

    expect(await attemptsAt(failing(3), { bound, onRetry: (_, attempts) => failures.push(attempts) })).toEqual(['done', 4]);
    expect(failures).toEqual([1, 2, 3]);
  });

  it('fails with its last error after its maximum of attempts', async () => {
    expect(await attemptsAt(failing(9), { bound: { attempts: 3 } })).toEqual(['connect', 3]);
  });

  it('is not attempted again when the deadline would be over after the pause', async () => {
    const work = failing(9);
    let ms = 0;

    const bound = { withinMs: 100 };
    // The clock begins at 30 and moves by 30 at each look: three pauses end before 130.
    const outcome = await attemptsAt(work, { bound, backoff: { firstMs: 1, longestMs: 1 }, now: () => (ms += 30) });
    expect(outcome).toEqual(['connect', 4]);
  });

  it('stops when the signal aborts, also during a pause', async () => {
    const over = new AbortController();
    const ended = attemptsAt(failing(9), { bound: { until: over.signal }, backoff: { firstMs: 60_000, longestMs: 60_000 } });
    setTimeout(() => over.abort(), 5);

    expect(await ended).toEqual(['connect', 1]);
  });

  it('is not attempted again after an error that is not transient, unless the caller allows it', async () => {
    const bug = () => new TypeError('x is not a function');
    const bound = { attempts: 2 };

    expect(await attemptsAt(failing(1, bug), { bound })).toEqual(['x is not a function', 1]);
    expect(await attemptsAt(failing(1, bug), { bound, isWorth: () => true })).toEqual(['done', 2]);
  });
});
