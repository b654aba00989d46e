import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  mailSent: counter('codase.mail.sent', '{mail}', 'Mails the relay has taken', { labels: [{ 'codase.region': 'configured' }] }),
  mailFailed: counter('codase.mail.failed', '{attempt}', 'Tries to send a mail that failed, by the kind of error', {
    openLabels: ['codase.region', 'error.type'],
  }),
  mailGivenUp: counter('codase.mail.given_up', '{mail}', 'Mails that were refused for good or waited too long', {
    labels: [{ 'codase.region': 'configured' }],
  }),
};
