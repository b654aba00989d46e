import { counter } from '@codase/runtime/metrics';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  leavesAdded: counter('codase.transparency.leaves_added', '{entry}', 'Entries of the audit that were added to the transparency log'),
  keysLogged: counter('codase.transparency.keys_logged', '{key}', 'Public keys that got an entry in the audit, which the log commits to'),
  headsRefused: counter(
    'codase.transparency.heads_refused',
    '{head}',
    'Heads of the transparency log that were not signed, because the stored log does not extend the one that this process signed before',
  ),
  headsMirrored: counter(
    'codase.transparency.heads_mirrored',
    '{head}',
    'Heads of the transparency logs of other bases: taken, refused because they do not extend the head that is held, or not read',
    { openLabels: ['codase.base', 'codase.outcome'] },
  ),
};
