/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  appEventsPostponed: {
    name: 'codase.app_events.postponed',
    kind: 'counter',
    unit: '{event}',
    what: 'Attempts to hand an event for phones to another region that failed and are repeated',
  },
  appEventsGivenUp: {
    name: 'codase.app_events.given_up',
    kind: 'counter',
    unit: '{event}',
    what: 'Events for phones that no region took in the time they are kept',
  },
  appEventsPresented: {
    name: 'codase.app_events.presented',
    kind: 'counter',
    unit: '{event}',
    what: 'Events that phones were given, on streams and by polls',
  },
  appEventsUnpresented: {
    name: 'codase.app_events.unpresented',
    kind: 'counter',
    unit: '{event}',
    what: 'Events in place of which phones were told to read their lists, as what they are about could not be read in time',
  },
  appEventLag: {
    name: 'codase.app_events.lag',
    kind: 'histogram',
    unit: 's',
    what: 'Time from the change to the moment its event is ready for a phone; long where the phone was away',
  },
  appStreamsReplaced: {
    name: 'codase.app_events.streams.replaced',
    kind: 'counter',
    unit: '{stream}',
    what: 'Streams that ended because their person opened more than may be open',
  },
  appEventsExpired: {
    name: 'codase.app_events.expired',
    kind: 'counter',
    unit: '{event}',
    what: 'Events for phones that were deleted because they are kept no longer',
  },
} as const;
