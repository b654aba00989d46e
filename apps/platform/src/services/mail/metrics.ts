/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  mailSent: {
    name: 'cds.mail.sent',
    kind: 'counter',
    unit: '{mail}',
    what: 'Mails the relay has taken',
    labels: [{ 'cds.region': 'configured' }],
  },
  mailFailed: {
    name: 'cds.mail.failed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Tries to send a mail that failed, by the kind of error',
    openLabels: ['cds.region', 'error.type'],
  },
  mailGivenUp: {
    name: 'cds.mail.given_up',
    kind: 'counter',
    unit: '{mail}',
    what: 'Mails that were refused for good or waited too long',
    labels: [{ 'cds.region': 'configured' }],
  },
} as const;
