/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  raised: { name: 'cds.twofa.raised', kind: 'counter', unit: '{challenge}', what: 'Challenges the platform raised' },
  raiseRetried: {
    name: 'cds.twofa.raise.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to raise a challenge that were repeated, with the same key',
  },
  outcomes: { name: 'cds.twofa.outcomes', kind: 'counter', unit: '{challenge}', what: 'Challenges that got their outcome, by its kind' },
  outcomeTime: {
    name: 'cds.twofa.outcome.duration',
    kind: 'histogram',
    unit: 's',
    what: 'Time from the request of a login to its outcome',
    boundaries: [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 180, 240, 300, 320, 600],
  },
  consumedWithoutRecord: {
    name: 'cds.twofa.consumed_without_record',
    kind: 'counter',
    unit: '{challenge}',
    what: 'Outcomes that were consumed at the platform and never recorded here: each is a no',
  },
  pending: { name: 'cds.twofa.pending', kind: 'gauge', unit: '{challenge}', what: 'Challenges without an outcome' },
  readsWaiting: { name: 'cds.twofa.reads.waiting', kind: 'gauge', unit: '{read}', what: 'Reads that wait for an outcome in this process' },
  readsUnqueued: {
    name: 'cds.twofa.reads.unqueued',
    kind: 'counter',
    unit: '{read}',
    what: 'Reads that were answered at once because too many waited already',
  },
  polls: { name: 'cds.twofa.polls', kind: 'counter', unit: '{poll}', what: 'Polls of challenges' },
  pollsFailed: { name: 'cds.twofa.polls.failed', kind: 'counter', unit: '{poll}', what: 'Polls without an answer, by error key' },
  publishFailed: {
    name: 'cds.twofa.publish.failed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to publish outcomes on the stream that failed; they are repeated',
  },
} as const;
