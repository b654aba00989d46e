/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  accountMailSent: {
    name: 'codase.account_mail.sent',
    kind: 'counter',
    unit: '{mail}',
    what: 'Mails of the front door that the relay has taken',
  },
  accountMailGivenUp: {
    name: 'codase.account_mail.given_up',
    kind: 'counter',
    unit: '{mail}',
    what: 'Mails of the front door that were refused for good or waited too long',
  },
} as const;
