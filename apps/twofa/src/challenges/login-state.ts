import type { LoginOutcome, LoginStatus } from '@codase/contracts';
import { to, type Absent, type Table } from '@codase/domain';

/** The state of a login in twofa: the platform is asked, the person is asked, or the login has its outcome. */
export type LoginState = Absent | 'requested' | LoginStatus;
/**
 * The signals that move a login. `approve`, `deny`, `lapse` and `revoke` are answers to a poll. `consumed` is a poll after the outcome had
 * been read already, `unknown` a poll that the platform answers with 404, and `close` comes from the clock.
 */
export type LoginSignal = 'request' | 'raise' | 'approve' | 'deny' | 'lapse' | 'revoke' | 'consumed' | 'unknown' | 'close';
/** What else must happen after a signal. */
export type LoginEffect = 'poll' | 'tell outcome' | 'count lost';

/**
 * Only a poll that answers approved, in time, leads to approved. An event of the feed changes no state and only makes the poll due at once:
 * the poll is authoritative. An outcome stands for ever. @spec D1-3.1 @gap D1-3.1
 */
export const LOGIN: Table<LoginState, LoginSignal, LoginEffect> = {
  none: { request: to('requested') },
  requested: { raise: to('pending', 'poll') },
  pending: {
    approve: to('approved', 'tell outcome'),
    deny: to('denied', 'tell outcome'),
    lapse: to('expired', 'tell outcome'),
    revoke: to('revoked', 'tell outcome'),
    consumed: to('lost', 'tell outcome', 'count lost'),
    unknown: to('failed', 'tell outcome'),
    close: to('expired', 'tell outcome'),
  },
  approved: {},
  denied: {},
  expired: {},
  revoked: {},
  lost: {},
  failed: {},
};

const OPEN: readonly LoginState[] = ['none', 'requested', 'pending'];
export const isOutcome = (state: LoginState): state is LoginOutcome => !OPEN.includes(state);
