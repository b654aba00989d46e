/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  feedDrained: {
    name: 'codase.feed.drained',
    kind: 'counter',
    unit: '{event}',
    what: 'Events that left the pull feed, with the answer or by acknowledgement of a lease',
  },
  feedCut: {
    name: 'codase.feed.cut',
    kind: 'counter',
    unit: '{drain}',
    what: 'Drains whose answer was cut off, and whose events come again',
  },
  customerEventsPostponed: {
    name: 'codase.customer_feed.postponed',
    kind: 'counter',
    unit: '{event}',
    what: "Attempts to hand an event for a company's own feed to another region that failed and are repeated",
  },
  customerEventsGivenUp: {
    name: 'codase.customer_feed.given_up',
    kind: 'counter',
    unit: '{event}',
    what: "Events for companies' own feeds that no region took in the time they are kept",
  },
} as const;
