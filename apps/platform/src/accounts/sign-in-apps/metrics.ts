/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  signInsBegun: {
    name: 'codase.sign_in_apps.sign_ins',
    kind: 'counter',
    unit: '{sign_in}',
    what: 'Sign-ins with apps of companies that were begun with a right password',
  },
  outcomes: {
    name: 'codase.sign_in_apps.outcomes',
    kind: 'counter',
    unit: '{sign_in}',
    what:
      'Steps that ended the wait of sign-ins with apps: approved or denied on the phone, pushed out by newer ones, expired before the ' +
      'exchange; and codes that apps exchanged',
    labels: [{ 'codase.outcome': ['approved', 'denied', 'pushed_out', 'expired', 'exchanged'] }],
  },
  notesForgotten: {
    name: 'codase.sign_in_apps.plugins_freed',
    kind: 'counter',
    unit: '{plugin}',
    what: 'Plugins that a worker freed, because no claim of the sign-in app used them any more: a change of the app was interrupted',
  },
  notesRestored: {
    name: 'codase.sign_in_apps.plugins_held_again',
    kind: 'counter',
    unit: '{plugin}',
    what: 'Plugins that a worker holds again, because a claim of a sign-in app uses them: a database was restored',
  },
} as const;
