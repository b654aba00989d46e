/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  mailSent: {
    name: 'codase.mail.sent',
    kind: 'counter',
    unit: '{mail}',
    what: 'Mails the relay has taken',
    labels: [{ 'codase.region': 'configured' }],
  },
  mailFailed: {
    name: 'codase.mail.failed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Tries to send a mail that failed, by the kind of error',
    openLabels: ['codase.region', 'error.type'],
  },
  mailGivenUp: {
    name: 'codase.mail.given_up',
    kind: 'counter',
    unit: '{mail}',
    what: 'Mails that were refused for good or waited too long',
    labels: [{ 'codase.region': 'configured' }],
  },
} as const;
