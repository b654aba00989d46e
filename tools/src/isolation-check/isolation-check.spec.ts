import { problemsOf } from './isolation-check.ts';

describe('the isolation of the decryptor', () => {
  const attempts = { nats: 'open', collector: 'open', postgres: 'ECONNREFUSED', internet: 'ENETUNREACH' };
  const isolated = { attempts, opened: 2, toCollector: 1 };

  it('holds where it works with NATS and the collector alone', () => {
    expect(problemsOf(isolated)).toEqual([]);
  });

  it('does not where it reaches more or less, or does nothing', () => {
    expect(problemsOf({ ...isolated, attempts: { ...attempts, postgres: 'open', nats: 'ECONNREFUSED' } })).toEqual([
      'The decryptor does not reach nats: ECONNREFUSED.',
      'The decryptor reaches postgres, and must not.',
    ]);
    expect(problemsOf({ ...isolated, opened: 0, toCollector: 0 })).toEqual([
      expect.stringContaining('opened nothing'),
      expect.stringContaining('sent no spans'),
    ]);
  });
});
