import { FEED, PARKED, type ErrorKey } from '@codase/contracts';
import { counter, gauge } from '@codase/runtime/metrics';

const OF_SERVICE = [{ 'codase.service': 'configured' }] as const;
const REFUSED_WITH: readonly ErrorKey[] = [
  'auth.token_invalid',
  'feed_consumer.event_expired',
  'feed_consumer.spool_full',
  'request.invalid',
  'request.not_found',
  'request.too_large',
  'service.unavailable',
];

/** The metrics of the feed consumer, with the names that dashboards and alerts use. */
export const METRICS = {
  feedReceived: counter('codase.feed.received', '{event}', 'Events the feed consumer stored, repeats left out', { labels: OF_SERVICE }),
  feedDrains: counter('codase.feed.drains', '{drain}', 'Drains the feed consumer made and stored', { labels: OF_SERVICE }),
  feedDrainsFailed: counter(
    'codase.feed.drains.failed',
    '{drain}',
    'Drains of the feed consumer that failed, by error key or the kind of error',
    { openLabels: ['codase.service', 'codase.error_key'] },
  ),
  feedStoreRetried: counter(
    'codase.feed.store.retried',
    '{attempt}',
    'Attempts to store drained events that were repeated, because the platform no longer has these events',
    { labels: OF_SERVICE },
  ),
  feedUnreadable: counter('codase.feed.unreadable', '{event}', 'What came as an event, could not be read as one, and was parked', {
    labels: OF_SERVICE,
  }),
  feedReconciled: counter('codase.feed.reconciled', '{event}', 'Events found missing by comparing with the platform', {
    labels: OF_SERVICE,
  }),
  feedRetold: counter(
    'codase.feed.retold',
    '{event}',
    'Events that a comparison published to be sure: they may have been published before',
    { labels: OF_SERVICE },
  ),
  feedRefused: counter('codase.feed.refused', '{delivery}', 'Webhook deliveries that were not taken, by error key', {
    labels: [{ 'codase.error_key': REFUSED_WITH }],
  }),
  spoolAge: gauge('codase.feed.spool.age', 's', 'How long the oldest event has waited to be published'),
  spoolBytes: gauge('codase.feed.spool.size', 'By', 'Bytes of a service that wait to be published, as SPOOL_MAX_BYTES counts them', {
    labels: OF_SERVICE,
  }),
  spoolLimit: gauge('codase.feed.spool.limit', 'By', 'Bytes of a service that may wait to be published'),
  feedPublished: counter('codase.feed.published', '{event}', 'Events the stream holds'),
  feedPublishFailed: counter('codase.feed.publish.failed', '{attempt}', 'Attempts to publish what is stored that failed, by subject', {
    labels: [{ 'messaging.destination.template': [FEED.pattern, PARKED.pattern] }],
  }),
  streamBytes: gauge('codase.feed.stream.size', 'By', 'Bytes that the stream of events holds'),
  streamLimit: gauge('codase.feed.stream.limit', 'By', 'Bytes that the stream of events may hold'),
  groupPending: gauge('codase.feed.group.pending', '{event}', 'Events of the stream that a group of handlers has not acknowledged'),
  groupAge: gauge('codase.feed.group.age', 's', 'How long the oldest event waits that a group of handlers has not acknowledged'),
};
