/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  companiesMoved: {
    name: 'cds.region_move.done',
    kind: 'counter',
    unit: '{company}',
    what: 'Companies that moved to another region',
    labels: [{ 'cds.region': 'configured' }],
  },
  moveFailures: {
    name: 'cds.region_move.failures',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts at a step of a move that failed',
    labels: [{ 'cds.region': 'configured' }],
  },
} as const;
