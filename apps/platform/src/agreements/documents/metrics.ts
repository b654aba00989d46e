/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  created: { name: 'codase.documents.created', kind: 'counter', unit: '{document}', what: 'Documents that services issued' },
  acts: {
    name: 'codase.documents.acts',
    kind: 'counter',
    unit: '{act}',
    what: 'What recipients did with documents: signed, accepted, declined, cancelled',
    labels: [{ 'codase.outcome': ['signed', 'accepted', 'declined', 'cancelled'] }],
  },
  ended: { name: 'codase.documents.ended', kind: 'counter', unit: '{document}', what: 'Cancelled documents whose last day came' },
} as const;
