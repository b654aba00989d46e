/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  accountsDeleted: {
    name: 'codase.accounts.deleted',
    kind: 'counter',
    unit: '{account}',
    what: 'Accounts that were deleted in every region',
  },
  deletionsPostponed: {
    name: 'codase.accounts.deletions_postponed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to delete an account in a region that failed and are repeated',
    labels: [{ 'codase.region': 'configured' }],
  },
} as const;
