import { openedIn, problemsOf } from './isolation-check.ts';

describe('the isolation of the decryptor', () => {
  const attempts = { nats: 'open', collector: 'open', postgres: 'ECONNREFUSED', internet: 'ENETUNREACH' };
  const isolated = { attempts, opened: 2, toCollector: 1 };

  it('holds where it works with NATS and the collector alone', () => {
    expect(problemsOf(isolated)).toEqual([]);
  });

  it('counts what was opened for every service', () => {
    const series = (labels: string, value: number) => `codase_decryptor_opened_total{${labels}} ${value}\n`;
    expect(openedIn(`${series('a="b"', 0)}other 7\n${series('codase_service="shop",a="b"', 3)}`)).toBe(3);
    expect(openedIn('')).toBe(0);
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
