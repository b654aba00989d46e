import { CHALLENGE_RATE, PENDING_CHALLENGES, Refusal } from '@codase/contracts';
import { raisedKey, checkSameBody } from './challenge-raiser.service.ts';
import { checkDigits, newDigits } from './matching-digits.ts';
import { checkMayRaise, type ChallengeCounts } from './raise-limits.ts';

const LIMITS = { lifetime_seconds: 300, outcome_hours: 24, pending: PENDING_CHALLENGES, rate: CHALLENGE_RATE };
const now = new Date('2026-03-01T10:00:00Z');
const ago = (...seconds: number[]) => seconds.map((one) => new Date(now.getTime() - one * 1000));

function refusalOf(work: () => unknown): { key: string; retryAfter: number | undefined } | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    const { key, retryAfter } = error as Refusal;
    return { key, retryAfter };
  }
}

describe('rate limits of challenges to a person @gap D1-8', () => {
  const none: ChallengeCounts = { of_person: 0, of_service: 0, recent: [] };

  it.each([
    ['the first time', none, undefined],
    ['two of the service open', { ...none, of_service: 2, of_person: 2 }, undefined],
    ['three of the service open', { ...none, of_service: 3, of_person: 3 }, { key: 'twofa.too_many_pending', retryAfter: undefined }],
    ['ten of all services open', { ...none, of_person: 10 }, { key: 'twofa.too_many_pending', retryAfter: undefined }],
    ['four within a minute', { ...none, recent: ago(1, 2, 3, 4) }, undefined],
    ['five within a minute', { ...none, recent: ago(1, 2, 3, 4, 15) }, { key: 'twofa.rate_limited', retryAfter: 45 }],
    ['five, one of them a minute ago', { ...none, recent: ago(1, 2, 3, 4, 60) }, undefined],
    [
      'thirty within an hour',
      { ...none, recent: ago(...Array.from({ length: 30 }, (_, nth) => 100 * (nth + 1))) },
      { key: 'twofa.rate_limited', retryAfter: 600 },
    ],
  ])('allow or refuse a challenge by the number of open and recent ones: %s', (_, earlier, refusal) => {
    expect(refusalOf(() => checkMayRaise(earlier, LIMITS, now))).toEqual(refusal);
  });
});

describe('idempotency key of a challenge @gap D1-4.5', () => {
  const body = { share_code: 'ANA', context: 'Sign-in from Berlin' };

  it('accepts a repeat with the same body, and refuses another body', () => {
    const first = raisedKey('login-1', body);

    expect(refusalOf(() => checkSameBody(first, raisedKey('login-1', { ...body })))).toBeUndefined();
    for (const other of [{ share_code: 'BEN' }, { context: 'Sign-in from Bonn' }])
      expect(refusalOf(() => checkSameBody(first, raisedKey('login-1', { ...body, ...other })))?.key).toBe('twofa.idempotency_conflict');
  });

  it('is stored only as a hash, on which the hash of the body depends', () => {
    const [one, other] = [raisedKey('login-1', body), raisedKey('login-2', body)];

    expect(JSON.stringify(one)).not.toMatch(/login|ANA|Berlin/);
    expect(one.body_hash).not.toBe(other.body_hash);
  });
});

describe('number matching @spec D1-4.5 @gap D1-4.5', () => {
  it('generates two digits, including a leading zero', () => {
    const drawn = Array.from({ length: 2000 }, newDigits);

    expect(drawn.every((digits) => /^\d\d$/.test(digits))).toBe(true);
    expect(drawn.some((digits) => digits.startsWith('0'))).toBe(true);
    expect(new Set(drawn).size).toBeGreaterThan(50);
  });

  it.each([
    ['nothing to match', null, undefined, 'approve'],
    ['digits where none are asked', null, '17', 'approve'],
    ['the right ones', '07', '07', 'approve'],
    ['the right ones with blanks', '07', ' 0 7', 'approve'],
    ['others', '07', '70', 'deny'],
    ['fewer', '07', '7', 'deny'],
    ['more', '07', '070', 'deny'],
    ['nothing typed', '07', '', 'deny'],
  ] as const)('approves an entry of the right digits, and denies wrong digits: %s', (_, wanted, typed, act) => {
    expect(checkDigits(wanted, typed)).toBe(act);
  });

  it('rejects a request without the required digits, which does not count as a wrong entry', () => {
    expect(refusalOf(() => checkDigits('07', undefined))?.key).toBe('request.invalid');
  });
});
