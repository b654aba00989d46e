/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  changesResumed: {
    name: 'cds.sign_in_apps.resumed',
    kind: 'counter',
    unit: '{app}',
    what: 'Sign-in apps whose use of plugins a worker settled, because a change of the app was not finished in time',
  },
} as const;
