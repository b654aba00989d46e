/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  opened: { name: 'cds.decryptor.opened', kind: 'counter', unit: '{value}', what: 'Values and envelopes the decryptor opened' },
  openRefused: {
    name: 'cds.decryptor.refused',
    kind: 'counter',
    unit: '{value}',
    what: 'Values and envelopes the decryptor did not open, by error key',
  },
  openBatch: {
    name: 'cds.decryptor.batch.size',
    kind: 'histogram',
    unit: '{value}',
    what: 'Values of one request',
    boundaries: [1, 2, 5, 10, 20, 50, 100, 200],
  },
  openQueue: { name: 'cds.decryptor.queue', kind: 'level', unit: '{value}', what: 'Values in hand: being opened or waiting for a thread' },
  keyFaults: { name: 'cds.decryptor.key.faults', kind: 'counter', unit: '{file}', what: 'Key files that could not be used' },
} as const;
