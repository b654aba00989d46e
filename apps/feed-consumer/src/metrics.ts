import { FEED, PARKED, type ErrorKey } from '@codase/contracts';

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
  feedReceived: {
    name: 'codase.feed.received',
    kind: 'counter',
    unit: '{event}',
    what: 'Events the feed consumer stored, repeats left out',
    labels: OF_SERVICE,
  },
  feedDrains: {
    name: 'codase.feed.drains',
    kind: 'counter',
    unit: '{drain}',
    what: 'Drains the feed consumer made and stored',
    labels: OF_SERVICE,
  },
  feedDrainsFailed: {
    name: 'codase.feed.drains.failed',
    kind: 'counter',
    unit: '{drain}',
    what: 'Drains of the feed consumer that failed, by error key or the kind of error',
    openLabels: ['codase.service', 'codase.error_key'],
  },
  feedStoreRetried: {
    name: 'codase.feed.store.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to store drained events that were repeated, because the platform no longer has these events',
    labels: OF_SERVICE,
  },
  feedUnreadable: {
    name: 'codase.feed.unreadable',
    kind: 'counter',
    unit: '{event}',
    what: 'What came as an event, could not be read as one, and was parked',
    labels: OF_SERVICE,
  },
  feedReconciled: {
    name: 'codase.feed.reconciled',
    kind: 'counter',
    unit: '{event}',
    what: 'Events found missing by comparing with the platform',
    labels: OF_SERVICE,
  },
  feedRetold: {
    name: 'codase.feed.retold',
    kind: 'counter',
    unit: '{event}',
    what: 'Events that a comparison published to be sure: they may have been published before',
    labels: OF_SERVICE,
  },
  feedRefused: {
    name: 'codase.feed.refused',
    kind: 'counter',
    unit: '{delivery}',
    what: 'Webhook deliveries that were not taken, by error key',
    labels: [{ 'codase.error_key': REFUSED_WITH }],
  },
  spoolAge: { name: 'codase.feed.spool.age', kind: 'gauge', unit: 's', what: 'How long the oldest event has waited to be published' },
  spoolBytes: {
    name: 'codase.feed.spool.size',
    kind: 'gauge',
    unit: 'By',
    what: 'Bytes of a service that wait to be published, as SPOOL_MAX_BYTES counts them',
    labels: OF_SERVICE,
  },
  spoolLimit: { name: 'codase.feed.spool.limit', kind: 'gauge', unit: 'By', what: 'Bytes of a service that may wait to be published' },
  feedPublished: { name: 'codase.feed.published', kind: 'counter', unit: '{event}', what: 'Events the stream holds' },
  feedPublishFailed: {
    name: 'codase.feed.publish.failed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to publish what is stored that failed, by subject',
    labels: [{ 'messaging.destination.template': [FEED.pattern, PARKED.pattern] }],
  },
  streamBytes: { name: 'codase.feed.stream.size', kind: 'gauge', unit: 'By', what: 'Bytes that the stream of events holds' },
  streamLimit: { name: 'codase.feed.stream.limit', kind: 'gauge', unit: 'By', what: 'Bytes that the stream of events may hold' },
  groupPending: {
    name: 'codase.feed.group.pending',
    kind: 'gauge',
    unit: '{event}',
    what: 'Events of the stream that a group of handlers has not acknowledged',
  },
  groupAge: {
    name: 'codase.feed.group.age',
    kind: 'gauge',
    unit: 's',
    what: 'How long the oldest event waits that a group of handlers has not acknowledged',
  },
} as const;
