/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  feedDrained: {
    name: 'cds.feed.drained',
    kind: 'counter',
    unit: '{event}',
    what: 'Events that left the pull feed, with the answer or by acknowledgement of a lease',
  },
  feedCut: { name: 'cds.feed.cut', kind: 'counter', unit: '{drain}', what: 'Drains whose answer was cut off, and whose events come again' },
} as const;
