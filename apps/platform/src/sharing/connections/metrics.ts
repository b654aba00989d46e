/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  slotChangesPostponed: {
    name: 'codase.slot_changes.postponed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to deliver a change of slots to another region that failed and are repeated',
    labels: [{ 'codase.region': 'configured' }],
  },
  slotChangesGivenUp: {
    name: 'codase.slot_changes.given_up',
    kind: 'counter',
    unit: '{change}',
    what: 'Changes of slots that another region refused for good',
  },
} as const;
