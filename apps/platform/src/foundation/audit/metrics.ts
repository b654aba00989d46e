/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  refused: {
    name: 'codase.audit.refused',
    kind: 'counter',
    unit: '{act}',
    what: 'Refused acts, as the audit counts them',
    openLabels: ['error.type'],
  },
} as const;
