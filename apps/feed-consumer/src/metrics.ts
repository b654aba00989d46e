import { FEED, PARKED, type ErrorKey } from '@cds/contracts';

const OF_SERVICE = [{ 'cds.service': 'configured' }] as const;
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
    name: 'cds.feed.received',
    kind: 'counter',
    unit: '{event}',
    what: 'Events the feed consumer stored, repeats left out',
    labels: OF_SERVICE,
  },
  feedDrains: {
    name: 'cds.feed.drains',
    kind: 'counter',
    unit: '{drain}',
    what: 'Drains the feed consumer made and stored',
    labels: OF_SERVICE,
  },
  feedDrainsFailed: {
    name: 'cds.feed.drains.failed',
    kind: 'counter',
    unit: '{drain}',
    what: 'Drains of the feed consumer that failed, by error key or the kind of error',
    openLabels: ['cds.service', 'cds.error_key'],
  },
  feedStoreRetried: {
    name: 'cds.feed.store.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to store drained events that were repeated, because the platform no longer has these events',
    labels: OF_SERVICE,
  },
  feedUnreadable: {
    name: 'cds.feed.unreadable',
    kind: 'counter',
    unit: '{event}',
    what: 'What came as an event, could not be read as one, and was parked',
    labels: OF_SERVICE,
  },
  feedReconciled: {
    name: 'cds.feed.reconciled',
    kind: 'counter',
    unit: '{event}',
    what: 'Events found missing by comparing with the platform',
    labels: OF_SERVICE,
  },
  feedRetold: {
    name: 'cds.feed.retold',
    kind: 'counter',
    unit: '{event}',
    what: 'Events that a comparison published to be sure: they may have been published before',
    labels: OF_SERVICE,
  },
  feedRefused: {
    name: 'cds.feed.refused',
    kind: 'counter',
    unit: '{delivery}',
    what: 'Webhook deliveries that were not taken, by error key',
    labels: [{ 'cds.error_key': REFUSED_WITH }],
  },
  spoolAge: { name: 'cds.feed.spool.age', kind: 'gauge', unit: 's', what: 'How long the oldest event has waited to be published' },
  spoolBytes: {
    name: 'cds.feed.spool.size',
    kind: 'gauge',
    unit: 'By',
    what: 'Bytes of a service that wait to be published, as SPOOL_MAX_BYTES counts them',
    labels: OF_SERVICE,
  },
  spoolLimit: { name: 'cds.feed.spool.limit', kind: 'gauge', unit: 'By', what: 'Bytes of a service that may wait to be published' },
  feedPublished: { name: 'cds.feed.published', kind: 'counter', unit: '{event}', what: 'Events the stream holds' },
  feedPublishFailed: {
    name: 'cds.feed.publish.failed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to publish what is stored that failed, by subject',
    labels: [{ 'messaging.destination.template': [FEED.pattern, PARKED.pattern] }],
  },
  streamBytes: { name: 'cds.feed.stream.size', kind: 'gauge', unit: 'By', what: 'Bytes that the stream of events holds' },
  streamLimit: { name: 'cds.feed.stream.limit', kind: 'gauge', unit: 'By', what: 'Bytes that the stream of events may hold' },
  groupPending: {
    name: 'cds.feed.group.pending',
    kind: 'gauge',
    unit: '{event}',
    what: 'Events of the stream that a group of handlers has not acknowledged',
  },
  groupAge: {
    name: 'cds.feed.group.age',
    kind: 'gauge',
    unit: 's',
    what: 'How long the oldest event waits that a group of handlers has not acknowledged',
  },
} as const;
