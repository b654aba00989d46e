import { counter } from '@codase/runtime/metrics';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  accountsDeleted: counter('codase.accounts.deleted', '{account}', 'Accounts that were deleted in every region'),
  deletionsPostponed: counter(
    'codase.accounts.deletions_postponed',
    '{attempt}',
    'Attempts to delete an account in a region that failed and are repeated',
    { labels: [{ 'codase.region': 'configured' }] },
  ),
};
