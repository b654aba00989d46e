import { CHALLENGE, CHALLENGE_OUTCOMES } from './challenge.ts';
import { linesOf, move } from './table.ts';

describe('a challenge @spec D1-3.1', () => {
  it('allows exactly the transitions of its state table', () => {
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

  it.each(CHALLENGE_OUTCOMES)('delivers its outcome only to the first read when it is %s', (outcome) => {
    const first = move(CHALLENGE, outcome, 'read');

    expect(first?.also).toContain('deliver outcome');
    expect(move(CHALLENGE, first!.next, 'read')).toBeUndefined();
  });

  it.each(CHALLENGE_OUTCOMES)('cannot be answered, revoked or expired again when it is %s', (outcome) => {
    for (const signal of ['approve', 'deny', 'lapse', 'revoke', 'raise'] as const) expect(move(CHALLENGE, outcome, signal)).toBeUndefined();
  });
});
