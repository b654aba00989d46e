/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  transitionsResumed: {
    name: 'codase.service_transitions.resumed',
    kind: 'counter',
    unit: '{transition}',
    what: 'Deletions of services and creations of data clients that a worker went on with, because they were not finished in time',
  },
  logEntriesDeleted: {
    name: 'codase.service_log.deleted',
    kind: 'counter',
    unit: '{row}',
    what: 'Entries of the logs of services that were deleted because they are older than SERVICE_LOG_DAYS',
  },
} as const;
