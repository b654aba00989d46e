/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  copiesStored: { name: 'cds.recovery.copies_stored', kind: 'counter', unit: '{copy}', what: 'Recovery copies that were stored' },
  secretsRecovered: {
    name: 'cds.recovery.secrets_recovered',
    kind: 'counter',
    unit: '{copy}',
    what: 'Recovery copies that were given back for the password and a code',
  },
} as const;
