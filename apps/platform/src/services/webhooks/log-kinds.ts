import { logKinds } from '../../kit/log-kinds.ts';

/** The kinds of log lines about a service's webhooks. @spec D1-6.3 @gap D1-4.7 */
export const LOG_KINDS = logKinds(
  'webhook_created',
  'webhook_changed',
  'webhook_deleted',
  'webhook_running',
  'webhook_bad',
  'webhook_unknown',
  'webhook_stale',
  'webhook_purged',
);
