import { logKinds } from '../log-kinds.ts';

/** What becomes of the runs of a service without its doing. @gap D1-4.7 */
export const LOG_KINDS = logKinds('run_data_removed');
