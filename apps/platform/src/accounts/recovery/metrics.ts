/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  copiesStored: { name: 'codase.recovery.copies_stored', kind: 'counter', unit: '{copy}', what: 'Recovery copies that were stored' },
  secretsRecovered: {
    name: 'codase.recovery.secrets_recovered',
    kind: 'counter',
    unit: '{copy}',
    what: 'Recovery copies that were given back for the password and a code',
  },
  codesWrong: {
    name: 'codase.recovery.codes_wrong',
    kind: 'counter',
    unit: '{code}',
    what: 'Codes that did not recover, after the right password: somebody may have stolen it',
  },
  resets: { name: 'codase.recovery.resets', kind: 'counter', unit: '{key}', what: 'Recovery keys that were deleted with all their copies' },
} as const;
