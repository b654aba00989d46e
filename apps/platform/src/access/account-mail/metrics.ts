import { counter } from '@codase/runtime/metrics';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  accountMailSent: counter('codase.account_mail.sent', '{mail}', 'Mails of the front door that the relay has taken'),
  accountMailGivenUp: counter(
    'codase.account_mail.given_up',
    '{mail}',
    'Mails of the front door that were refused for good or waited too long',
  ),
};
