import { counter } from '@codase/runtime/metrics';

/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  copiesStored: counter('codase.recovery.copies_stored', '{copy}', 'Recovery copies that were stored'),
  secretsRecovered: counter(
    'codase.recovery.secrets_recovered',
    '{copy}',
    'Recovery copies that were given back for the password and a code',
  ),
  codesWrong: counter(
    'codase.recovery.codes_wrong',
    '{code}',
    'Codes that did not recover, after the right password: somebody may have stolen it',
  ),
  resets: counter('codase.recovery.resets', '{key}', 'Recovery keys that were deleted with all their copies'),
};
