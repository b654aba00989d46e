import { logKinds } from '../../kit/log-kinds.ts';

/** The kinds of log entries for the photos of a service. @gap D1-4.7 */
export const LOG_KINDS = logKinds('photo_added', 'photo_deleted');
