/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  appEventsPostponed: {
    name: 'cds.app_events.postponed',
    kind: 'counter',
    unit: '{event}',
    what: 'Attempts to hand an event for phones to another region that failed and are repeated',
  },
  appEventsGivenUp: {
    name: 'cds.app_events.given_up',
    kind: 'counter',
    unit: '{event}',
    what: 'Events for phones that no region took in the time they are kept',
  },
  appEventsExpired: {
    name: 'cds.app_events.expired',
    kind: 'counter',
    unit: '{event}',
    what: 'Events for phones that were deleted because they are kept no longer',
  },
} as const;
