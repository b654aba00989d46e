import { Refusal } from '@cds/contracts';
import { isWithinLimits, RequestLog } from './request-log.ts';
import { isClean } from './soak.ts';

const LIMITS = { failedShare: 0.005, worstWaitMs: 2000 };
const CLEAN = { lost: 0, duplicated: 0, disordered: 0 };

describe('counting what callers met', () => {
  it('counts each try, asks until there is an answer, and says how it failed', async () => {
    const [said, rests]: [string[], number[]] = [[], []];
    const log = new RequestLog(
      LIMITS,
      (line) => void said.push(line.replace(/\d+ ms/, 'some ms')),
      async (ms) => void rests.push(ms),
    );
    const failures = [Object.assign(new Error('gone'), { code: 'ECONNRESET' }), new Refusal('service.unavailable').because('not now')];

    const answer = await log.untilAnswered('edit', async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return 'made';
    });

    expect([answer, log.asked, log.failed, rests]).toEqual(['made', 3, 2, [100, 200]]);
    expect(log.worstWaitMs).toBeGreaterThan(0);
    expect([...log.failures]).toEqual([
      ['edit: ECONNRESET gone', 1],
      ['edit: 503 service.unavailable (not now)', 1],
    ]);
    expect(said).toEqual(['failed after some ms: edit: ECONNRESET gone', 'failed after some ms: edit: 503 service.unavailable (not now)']);
  });

  it('holds by the share that failed and by the longest wait, and not where nobody asked', () => {
    const met = { asked: 1000, failed: 5, worstWaitMs: 1999, limits: LIMITS };
    expect(isWithinLimits(met)).toBe(true);
    expect(isWithinLimits({ ...met, failed: 6 })).toBe(false);
    expect(isWithinLimits({ ...met, worstWaitMs: 2000 })).toBe(false);
    expect(isWithinLimits({ ...met, asked: 0, failed: 0 })).toBe(false);
    expect(isWithinLimits({ ...met, failed: 1, limits: { ...LIMITS, failedShare: 0 } })).toBe(false);
  });

  it('spoils a soak that is clean otherwise', () => {
    const requests = { asked: 1000, failed: 6, worstWaitMs: 10, limits: LIMITS };
    expect([isClean(CLEAN), isClean({ ...CLEAN, requests }), isClean({ ...CLEAN, requests: { ...requests, failed: 0 } })]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
