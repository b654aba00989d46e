/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  handledLag: {
    name: 'cds.client.lag',
    kind: 'histogram',
    unit: 's',
    what: 'Age of an event when a handler of a company takes it',
    boundaries: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800, 3600, 21_600, 86_400, 604_800],
  },
  groupAge: {
    name: 'cds.client.backlog.age',
    kind: 'gauge',
    unit: 's',
    what: 'How long the oldest event has been on the stream that a group of handlers has in hand and has not handled',
  },
  handled: { name: 'cds.client.handled', kind: 'counter', unit: '{event}', what: 'Events that a handler of a company has handled' },
  handledBefore: { name: 'cds.client.repeated', kind: 'counter', unit: '{event}', what: 'Events that came again and changed nothing' },
  handlingFailed: {
    name: 'cds.client.failed',
    kind: 'counter',
    unit: '{event}',
    what: 'Tries of a handler of a company that failed, by the kind of error',
  },
  challengeRetried: {
    name: 'cds.client.challenge.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts of a login to raise its challenge that were repeated, with the same key',
  },
  challengeReadRetried: {
    name: 'cds.client.challenge.read_retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Reads of the outcome of a challenge that failed and were repeated',
  },
  openAsked: { name: 'cds.client.opened', kind: 'counter', unit: '{value}', what: 'Values the client asked the decryptor for' },
} as const;
