/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  passwordsChanged: { name: 'cds.accounts.passwords_changed', kind: 'counter', unit: '{account}', what: 'Passwords that users changed' },
  emailsChanged: {
    name: 'cds.accounts.emails_changed',
    kind: 'counter',
    unit: '{account}',
    what: 'E-mail addresses of accounts that users changed',
  },
} as const;
