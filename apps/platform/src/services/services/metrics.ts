import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  transitionsResumed: counter(
    'codase.service_transitions.resumed',
    '{transition}',
    'Deletions of services and creations of data clients that a worker went on with, because they were not finished in time',
  ),
  logEntriesDeleted: counter(
    'codase.service_log.deleted',
    '{row}',
    'Entries of the logs of services that were deleted because they are older than SERVICE_LOG_DAYS',
  ),
};
