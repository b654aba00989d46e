import { counter } from '@codase/runtime/metrics';

/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  passwordsChanged: counter('codase.accounts.passwords_changed', '{account}', 'Passwords that users changed'),
  emailsChanged: counter('codase.accounts.emails_changed', '{account}', 'E-mail addresses of accounts that users changed'),
};
