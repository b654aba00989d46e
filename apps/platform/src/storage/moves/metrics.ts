/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  companiesMoved: {
    name: 'codase.region_move.done',
    kind: 'counter',
    unit: '{company}',
    what: 'Companies that moved to another region',
    labels: [{ 'codase.region': 'configured' }],
  },
  moveFailures: {
    name: 'codase.region_move.failures',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts at a step of a move that failed',
    labels: [{ 'codase.region': 'configured' }],
  },
} as const;
