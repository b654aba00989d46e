import { logKinds } from '../log-kinds.ts';

/** What becomes of the flows of a service. @gap D1-4.7 */
export const LOG_KINDS = logKinds('flow_created', 'flow_published', 'flow_deleted');
