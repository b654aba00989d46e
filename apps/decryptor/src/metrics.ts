import type { ErrorKey } from '@codase/contracts';
import { counter, gauge, histogram, level } from '@codase/runtime/metrics';

const REFUSED_WITH: readonly ErrorKey[] = [
  'decryptor.caller_refused',
  'decryptor.key_unknown',
  'decryptor.unreadable',
  'rate_limit.exceeded',
  'service.unavailable',
];

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  opened: counter('codase.decryptor.opened', '{value}', 'Values and envelopes the decryptor opened', {
    labels: [{ 'codase.service': 'configured' }],
  }),
  openRefused: counter('codase.decryptor.refused', '{value}', 'Values and envelopes the decryptor did not open, by error key', {
    labels: [{ 'codase.error_key': REFUSED_WITH }],
  }),
  openBatch: histogram('codase.decryptor.batch.size', '{value}', 'Values of one request', { boundaries: [1, 2, 5, 10, 20, 50, 100, 200] }),
  openQueue: level('codase.decryptor.queue', '{value}', 'Values in hand: being opened or waiting for a thread'),
  openTime: histogram('codase.decryptor.open.duration', 's', 'Time to open the values of one request, its wait included'),
  openLimit: gauge('codase.decryptor.queue.limit', '{value}', 'Values that may be in hand; more are refused'),
  bulkOpened: counter(
    'codase.decryptor.bulk',
    '{minute}',
    'Minutes in which one caller had more opened by this replica than BULK_VALUES_PER_MINUTE or than its own limit: an alert',
    { labels: [{ 'codase.caller': 'configured' }] },
  ),
  keysLoaded: gauge('codase.decryptor.keys', '{key}', 'Private keys of services that are loaded'),
  keysFaulty: gauge(
    'codase.decryptor.key.faulty',
    '{file}',
    'Key files that cannot be used now; the folder itself counts as one while it cannot be read',
  ),
  keyRetries: counter('codase.decryptor.key.retries', '{file}', 'Key files that were read again because they could not be read before'),
  keyFaults: counter('codase.decryptor.key.faults', '{file}', 'Key files that could not be used'),
};
