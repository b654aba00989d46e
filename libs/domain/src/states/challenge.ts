import { to, type Absent, type Table } from './table.ts';

/** The outcomes that a challenge can have. @spec D1-2.10 */
export const CHALLENGE_OUTCOMES = ['approved', 'denied', 'expired', 'revoked'] as const;
/** One outcome of a challenge. */
export type ChallengeOutcome = (typeof CHALLENGE_OUTCOMES)[number];
/** The state of a stored challenge. It is `consumed` after its outcome was read. @spec D1-3.1 */
export type ChallengeState = Absent | 'pending' | ChallengeOutcome | 'consumed';
/** What happens to a challenge. */
export type ChallengeSignal = 'raise' | 'approve' | 'deny' | 'lapse' | 'revoke' | 'read';
/** What else must happen. The poll delivers an outcome, the feed announces it. */
export type ChallengeEffect = 'push card' | 'dismiss card' | 'announce outcome' | 'deliver outcome';

/**
 * The first read delivers an outcome and consumes it, so there is no second read. An expiry is found by the poll and never announced. A
 * revocation also removes the card from the phones. @spec D1-3.1 @gap D1-3.1
 */
export const CHALLENGE: Table<ChallengeState, ChallengeSignal, ChallengeEffect> = {
  none: {
    raise: to('pending', 'push card'),
  },
  pending: {
    read: to('pending'),
    approve: to('approved', 'dismiss card', 'announce outcome'),
    deny: to('denied', 'dismiss card', 'announce outcome'),
    lapse: to('expired'),
    revoke: to('revoked', 'dismiss card', 'announce outcome'),
  },
  approved: { read: to('consumed', 'deliver outcome') },
  denied: { read: to('consumed', 'deliver outcome') },
  expired: { read: to('consumed', 'deliver outcome') },
  revoked: { read: to('consumed', 'deliver outcome') },
  consumed: {},
};
