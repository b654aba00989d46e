/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  signInsBegun: {
    name: 'cds.sign_in_apps.sign_ins',
    kind: 'counter',
    unit: '{sign_in}',
    what: 'Sign-ins with apps of companies that were begun with a right password',
  },
  notesForgotten: {
    name: 'cds.sign_in_apps.plugins_freed',
    kind: 'counter',
    unit: '{plugin}',
    what: 'Plugins that a worker freed, because no claim of the sign-in app used them any more: a change of the app was interrupted',
  },
} as const;
