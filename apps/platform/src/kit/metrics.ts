/** Metrics of code that belongs to no capability. */
export const METRICS = {
  republished: {
    name: 'codase.told_again',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to publish the committed rows again, after a change that was published was not committed',
  },
} as const;
