/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  phonesAdded: { name: 'codase.phones.added', kind: 'counter', unit: '{phone}', what: 'Phones that persons registered' },
  phonesRemoved: {
    name: 'codase.phones.removed',
    kind: 'counter',
    unit: '{phone}',
    what: 'Phones that persons removed, with their sessions',
  },
} as const;
