import type { LoginOutcome, LoginStatus } from '@cds/contracts';
import { to, type Absent, type Table } from '@cds/domain';

/** A login as twofa keeps it: the platform is asked, the person is asked, or it has its outcome. */
export type LoginState = Absent | 'requested' | LoginStatus;
/**
 * What happens to a login. The first four outcomes are what a poll answered; `consumed` is a poll that came after somebody had read the
 * outcome, `unknown` one that the platform answers with 404, and `close` is the clock.
 */
export type LoginSignal = 'request' | 'raise' | 'approve' | 'deny' | 'lapse' | 'revoke' | 'consumed' | 'unknown' | 'close';
/** What else must happen. */
export type LoginEffect = 'poll' | 'tell outcome' | 'count lost';

/**
 * Approved is reached by one way alone: a poll that answers it, in time. An event of the feed moves nothing, it only has the poll made at
 * once: the poll is authoritative. An outcome stands for ever. @spec D1-3.1 @gap D1-3.1
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
