/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  phonesAdded: { name: 'cds.phones.added', kind: 'counter', unit: '{phone}', what: 'Phones that persons registered' },
  phonesRemoved: { name: 'cds.phones.removed', kind: 'counter', unit: '{phone}', what: 'Phones that persons removed, with their sessions' },
} as const;
