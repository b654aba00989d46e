import { logKinds } from '../../kit/log-kinds.ts';

/** The kinds of log entries about the flows of a service. @gap D1-4.7 */
export const LOG_KINDS = logKinds('flow_created', 'flow_published', 'flow_deleted');
