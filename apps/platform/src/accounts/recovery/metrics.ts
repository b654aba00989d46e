/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  copiesStored: { name: 'cds.recovery.copies_stored', kind: 'counter', unit: '{copy}', what: 'Recovery copies that were stored' },
  secretsRecovered: {
    name: 'cds.recovery.secrets_recovered',
    kind: 'counter',
    unit: '{copy}',
    what: 'Recovery copies that were given back for the password and a code',
  },
  codesWrong: {
    name: 'cds.recovery.codes_wrong',
    kind: 'counter',
    unit: '{code}',
    what: 'Codes that did not recover, after the right password: somebody may have stolen it',
  },
  resets: { name: 'cds.recovery.resets', kind: 'counter', unit: '{key}', what: 'Recovery keys that were deleted with all their copies' },
} as const;
