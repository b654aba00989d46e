import { ChallengeStatus } from '@codase/contracts';
import { CHALLENGE_TRANSITIONS, isOpen, isOverdue, readingOf, transitionOf, type ChallengeAct } from './challenge-states.ts';

const ACTS = ['approve', 'deny', 'expire', 'revoke'] as const satisfies readonly ChallengeAct[];
const now = new Date('2026-03-01T10:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('challenge states @spec D1-3.1', () => {
  it.each([
    ['approve', 'approved', true],
    ['deny', 'denied', true],
    ['expire', 'expired', false],
    ['revoke', 'revoked', true],
  ] as const)('%s makes a pending challenge %s, with an event: %s', (act, next, event) => {
    expect(transitionOf('pending', act)).toEqual({ next, event });
  });

  it.each(ChallengeStatus.options.filter((status) => status !== 'pending').flatMap((status) => ACTS.map((act) => [status, act] as const)))(
    'a closed challenge stays closed: %s refuses %s',
    (status, act) => {
      expect(CHALLENGE_TRANSITIONS[status]).toEqual({});
      expect(() => transitionOf(status, act)).toThrow(expect.objectContaining({ key: 'twofa.challenge_closed' }));
    },
  );

  const challenge = { status: 'pending' as ChallengeStatus, expires_at: later(300), completed_at: null, consumed_at: null };
  const DAY_MS = 86_400_000;

  it('a challenge is open until exactly its expiry', () => {
    expect([isOpen(challenge, later(299)), isOpen(challenge, later(300))]).toEqual([true, false]);
    expect([isOverdue(challenge, later(299)), isOverdue(challenge, later(300))]).toEqual([false, true]);
    expect(isOverdue({ ...challenge, status: 'approved' }, later(300))).toBe(false);
  });

  it.each([
    ['open', challenge, 299, 'pending'],
    ['over, and nobody wrote it down', challenge, 300, 'outcome'],
    ['approved', { ...challenge, status: 'approved' as const, completed_at: later(10) }, 11, 'outcome'],
    ['delivered', { ...challenge, status: 'approved' as const, completed_at: later(10), consumed_at: later(11) }, 12, 'consumed'],
    ['kept for a day', { ...challenge, status: 'denied' as const, completed_at: later(0) }, 86_399, 'outcome'],
    ['forgotten after that', { ...challenge, status: 'denied' as const, completed_at: later(0) }, 86_400, 'forgotten'],
    [
      'delivered, and forgotten',
      { ...challenge, status: 'denied' as const, completed_at: later(0), consumed_at: later(1) },
      86_400,
      'forgotten',
    ],
    ['forgotten without having been written down', challenge, 300 + 86_400, 'forgotten'],
  ] as const)('the state is read correctly for a challenge that is %s', (_, read, seconds, reading) => {
    expect(readingOf(read, later(seconds), DAY_MS)).toBe(reading);
  });
});
