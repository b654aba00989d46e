import { linesOf, move } from '@codase/domain';
import { isOutcome, LOGIN, type LoginSignal, type LoginState } from './login-state.ts';

const STATES = Object.keys(LOGIN) as LoginState[];

describe('the states of a login @spec D1-3.1', () => {
  it('have exactly the listed transitions', () => {
    expect(linesOf(LOGIN)).toEqual([
      'none, request: requested',
      'requested, raise: pending, poll',
      'pending, approve: approved, tell outcome',
      'pending, deny: denied, tell outcome',
      'pending, lapse: expired, tell outcome',
      'pending, revoke: revoked, tell outcome',
      'pending, consumed: lost, tell outcome, count lost',
      'pending, unknown: failed, tell outcome',
      'pending, close: expired, tell outcome',
    ]);
  });

  it('reach approval in only one way', () => {
    const signals: LoginSignal[] = ['request', 'raise', 'approve', 'deny', 'lapse', 'revoke', 'consumed', 'unknown', 'close'];
    const ways = STATES.flatMap((state) =>
      signals.filter((signal) => move(LOGIN, state, signal)?.next === 'approved').map((signal) => [state, signal]),
    );

    expect(ways).toEqual([['pending', 'approve']]);
  });

  it('end in outcomes that no signal changes', () => {
    expect(STATES.filter((state) => Object.keys(LOGIN[state]).length === 0)).toEqual(STATES.filter(isOutcome));
    expect(STATES.filter(isOutcome)).toEqual(['approved', 'denied', 'expired', 'revoked', 'lost', 'failed']);
  });
});
