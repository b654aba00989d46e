import { logKinds } from '../../kit/log-kinds.ts';

/** The kinds of log entries about what happens to the runs of a service without its doing. @gap D1-4.7 */
export const LOG_KINDS = logKinds('run_data_removed');
