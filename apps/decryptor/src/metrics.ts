import type { ErrorKey } from '@codase/contracts';

const REFUSED_WITH: readonly ErrorKey[] = [
  'decryptor.caller_refused',
  'decryptor.key_unknown',
  'decryptor.unreadable',
  'rate_limit.exceeded',
  'service.unavailable',
];

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  opened: {
    name: 'codase.decryptor.opened',
    kind: 'counter',
    unit: '{value}',
    what: 'Values and envelopes the decryptor opened',
    labels: [{ 'codase.service': 'configured' }],
  },
  openRefused: {
    name: 'codase.decryptor.refused',
    kind: 'counter',
    unit: '{value}',
    what: 'Values and envelopes the decryptor did not open, by error key',
    labels: [{ 'codase.error_key': REFUSED_WITH }],
  },
  openBatch: {
    name: 'codase.decryptor.batch.size',
    kind: 'histogram',
    unit: '{value}',
    what: 'Values of one request',
    boundaries: [1, 2, 5, 10, 20, 50, 100, 200],
  },
  openQueue: {
    name: 'codase.decryptor.queue',
    kind: 'level',
    unit: '{value}',
    what: 'Values in hand: being opened or waiting for a thread',
  },
  openTime: {
    name: 'codase.decryptor.open.duration',
    kind: 'histogram',
    unit: 's',
    what: 'Time to open the values of one request, its wait included',
  },
  openLimit: { name: 'codase.decryptor.queue.limit', kind: 'gauge', unit: '{value}', what: 'Values that may be in hand; more are refused' },
  bulkOpened: {
    name: 'codase.decryptor.bulk',
    kind: 'counter',
    unit: '{minute}',
    what: 'Minutes in which one caller had more opened by this replica than BULK_VALUES_PER_MINUTE or than its own limit: an alert',
    labels: [{ 'codase.caller': 'configured' }],
  },
  keysLoaded: { name: 'codase.decryptor.keys', kind: 'gauge', unit: '{key}', what: 'Private keys of services that are loaded' },
  keysFaulty: {
    name: 'codase.decryptor.key.faulty',
    kind: 'gauge',
    unit: '{file}',
    what: 'Key files that cannot be used now; the folder itself counts as one while it cannot be read',
  },
  keyRetries: {
    name: 'codase.decryptor.key.retries',
    kind: 'counter',
    unit: '{file}',
    what: 'Key files that were read again because they could not be read before',
  },
  keyFaults: { name: 'codase.decryptor.key.faults', kind: 'counter', unit: '{file}', what: 'Key files that could not be used' },
} as const;
