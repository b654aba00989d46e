/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  passwordsWrong: { name: 'codase.passwords.wrong', kind: 'counter', unit: '{attempt}', what: 'Passwords that were wrong' },
  passwordsDelayed: {
    name: 'codase.passwords.delayed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Passwords that were not looked at, since too many before them were wrong',
  },
} as const;
