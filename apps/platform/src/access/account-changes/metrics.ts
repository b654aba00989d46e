/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  passwordsChanged: { name: 'codase.accounts.passwords_changed', kind: 'counter', unit: '{account}', what: 'Passwords that users changed' },
  emailsChanged: {
    name: 'codase.accounts.emails_changed',
    kind: 'counter',
    unit: '{account}',
    what: 'E-mail addresses of accounts that users changed',
  },
} as const;
