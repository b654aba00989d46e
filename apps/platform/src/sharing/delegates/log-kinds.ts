import { logKinds } from '../../kit/log-kinds.ts';

/** The kinds of log entries for grants of a service. @gap D1-4.7 */
export const LOG_KINDS = logKinds('delegate_granted', 'delegate_revoked');
