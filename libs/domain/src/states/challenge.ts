import { to, type Absent, type Table } from './table.ts';

/** The outcomes a challenge can have. @spec D1-2.10 */
export const CHALLENGE_OUTCOMES = ['approved', 'denied', 'expired', 'revoked'] as const;
/** One outcome of a challenge. */
export type ChallengeOutcome = (typeof CHALLENGE_OUTCOMES)[number];
/** A challenge as it is kept; an outcome that was read is consumed. @spec D1-3.1 */
export type ChallengeState = Absent | 'pending' | ChallengeOutcome | 'consumed';
/** What happens to a challenge. */
export type ChallengeSignal = 'raise' | 'approve' | 'deny' | 'lapse' | 'revoke' | 'read';
/** What else must happen. The poll delivers; the feed announces. */
export type ChallengeEffect = 'push card' | 'dismiss card' | 'announce outcome' | 'deliver outcome';

/**
 * The first read delivers an outcome and consumes it; there is no second. An expiry is found by the poll, never announced; a
 * revocation takes the card off the phones too. @spec D1-3.1 @gap D1-3.1
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
