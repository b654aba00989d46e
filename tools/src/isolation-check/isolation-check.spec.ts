import { openedIn, problemsOf } from './isolation-check.ts';

describe('the isolation of the decryptor', () => {
  const attempts = { nats: 'open', collector: 'open', postgres: 'ECONNREFUSED', internet: 'ENETUNREACH' };
  const isolated = { attempts, opened: 2, toCollector: 1 };

  it('is confirmed when it reaches only NATS and the collector', () => {
    expect(problemsOf(isolated)).toEqual([]);
  });

  it('is measured by the sum of the values opened for all services', () => {
    const series = (labels: string, value: number) => `codase_decryptor_opened_total{${labels}} ${value}\n`;
    expect(openedIn(`${series('a="b"', 0)}other 7\n${series('codase_service="shop",a="b"', 3)}`)).toBe(3);
    expect(openedIn('')).toBe(0);
  });

  it('is refuted when it reaches more or less, opens nothing or sends no spans', () => {
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
