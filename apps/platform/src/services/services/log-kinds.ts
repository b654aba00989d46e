import { logKinds } from '../../kit/log-kinds.ts';

/** The kinds of log entries for changes of a service's configuration. @gap D1-4.7 */
export const LOG_KINDS = logKinds(
  'service_created',
  'share_code_changed',
  'admin_email_changed',
  'admin_email_confirmed',
  'number_matching_changed',
  'share_config_changed',
  'request_fields_published',
  'client_created',
  'client_changed',
  'client_secret_replaced',
  'client_deleted',
);
