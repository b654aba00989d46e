/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  changes: {
    name: 'cds.delegates.changes',
    kind: 'counter',
    unit: '{change}',
    what: 'Changes of delegates and their grants: added, removed by the company, left, granted, revoked, key_read for the first time',
    labels: [{ 'cds.outcome': ['added', 'removed', 'left', 'granted', 'revoked', 'key_read'] }],
  },
} as const;
