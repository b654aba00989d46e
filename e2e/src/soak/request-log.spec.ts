import { Refusal } from '@codase/contracts';
import { isWithinLimits, RequestLog } from './request-log.ts';
import { isClean } from './soak.ts';

const LIMITS = { failedShare: 0.005, worstWaitMs: 2000 };
const CLEAN = { lost: 0, duplicated: 0, disordered: 0 };

describe('the request log of a soak', () => {
  it('counts each attempt, retries until there is an answer, and records each failure', async () => {
    const [said, rests]: [string[], number[]] = [[], []];
    const log = new RequestLog(LIMITS, {
      say: (line) => void said.push(line.replace(/\d+ ms/, 'some ms')),
      fault: () => `gateway ${rests.length + 1} is killed`,
      rest: async (ms) => void rests.push(ms),
    });
    const failures = [Object.assign(new Error('gone'), { code: 'ECONNRESET' }), new Refusal('service.unavailable').because('not now')];

    const answer = await log.untilAnswered('edit', async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return 'made';
    });

    expect([answer, log.count, log.failed, rests]).toEqual(['made', 3, 2, [100, 200]]);
    expect(log.worstWaitMs).toBeGreaterThan(0);
    expect(Object.keys(log.tally.worstWaits)).toEqual(['gateway is killed']);
    expect(log.tally.incidents).toEqual([
      {
        fault: 'gateway is killed',
        request: 'edit',
        failed: 2,
        late: 0,
        worstWaitMs: expect.any(Number),
        errors: { 'ECONNRESET gone': 1, '503 service.unavailable (not now)': 1 },
      },
    ]);
    expect(said).toEqual(['failed after some ms: edit: ECONNRESET gone', 'failed after some ms: edit: 503 service.unavailable (not now)']);
  });

  it('counts a request that took too long, under the fault that came before it', async () => {
    const log = new RequestLog({ failedShare: 0, worstWaitMs: 0 }, { say: () => undefined, fault: () => 'Postgres is killed' });

    await log.untilAnswered('token', async () => 'given');

    expect(log.tally.incidents).toMatchObject([{ fault: 'Postgres is killed', request: 'token', failed: 0, late: 1, errors: {} }]);
  });

  it('reports the longest wait with and without the outages of Postgres', async () => {
    const log = new RequestLog(LIMITS, { say: () => undefined, outageMs: () => 5 });

    await log.untilAnswered('token', () => new Promise((resolve) => setTimeout(resolve, 20)));

    const { worstWaitMs, worstWaitBesideOutagesMs } = log.tally;
    expect(worstWaitBesideOutagesMs).toBeLessThan(worstWaitMs);
    expect(worstWaitBesideOutagesMs).toBeGreaterThan(0);
  });

  it('is within limits by the failed share and the longest wait, and never without requests', () => {
    const met = {
      count: 1000,
      failed: 5,
      worstWaitMs: 3700,
      worstWaitBesideOutagesMs: 1999,
      limits: LIMITS,
      worstWaits: {},
      incidents: [],
    };
    expect(isWithinLimits(met)).toBe(true);
    expect(isWithinLimits({ ...met, failed: 6 })).toBe(false);
    expect(isWithinLimits({ ...met, worstWaitBesideOutagesMs: 2000 })).toBe(false);
    expect(isWithinLimits({ ...met, count: 0, failed: 0 })).toBe(false);
    expect(isWithinLimits({ ...met, failed: 1, limits: { ...LIMITS, failedShare: 0 } })).toBe(false);
  });

  it('makes a soak fail that is otherwise clean', () => {
    const requests = {
      count: 1000,
      failed: 6,
      worstWaitMs: 10,
      worstWaitBesideOutagesMs: 10,
      limits: LIMITS,
      worstWaits: {},
      incidents: [],
    };
    expect([isClean(CLEAN), isClean({ ...CLEAN, requests }), isClean({ ...CLEAN, requests: { ...requests, failed: 0 } })]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
