import { CHALLENGE, CHALLENGE_OUTCOMES } from './challenge.ts';
import { linesOf, move } from './table.ts';

describe('a challenge @spec D1-3.1', () => {
  it('moves along these lines and no others', () => {
    expect(linesOf(CHALLENGE)).toEqual([
      'none, raise: pending, push card',
      'pending, read: pending',
      'pending, approve: approved, dismiss card, announce outcome',
      'pending, deny: denied, dismiss card, announce outcome',
      'pending, lapse: expired',
      'pending, revoke: revoked, dismiss card, announce outcome',
      'approved, read: consumed, deliver outcome',
      'denied, read: consumed, deliver outcome',
      'expired, read: consumed, deliver outcome',
      'revoked, read: consumed, deliver outcome',
    ]);
  });

  it.each(CHALLENGE_OUTCOMES)('%s, is delivered to the first read and to no second', (outcome) => {
    const first = move(CHALLENGE, outcome, 'read');

    expect(first?.also).toContain('deliver outcome');
    expect(move(CHALLENGE, first!.next, 'read')).toBeUndefined();
  });

  it.each(CHALLENGE_OUTCOMES)('%s, cannot be settled again', (outcome) => {
    for (const signal of ['approve', 'deny', 'lapse', 'revoke', 'raise'] as const) expect(move(CHALLENGE, outcome, signal)).toBeUndefined();
  });
});
