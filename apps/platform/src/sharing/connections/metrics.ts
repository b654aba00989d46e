import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  slotChangesPostponed: counter(
    'codase.slot_changes.postponed',
    '{attempt}',
    'Attempts to deliver a change of slots to another region that failed and are repeated',
    { labels: [{ 'codase.region': 'configured' }] },
  ),
  slotChangesGivenUp: counter('codase.slot_changes.given_up', '{change}', 'Changes of slots that another region refused for good'),
};
