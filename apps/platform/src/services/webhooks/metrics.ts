import { counter, gauge, histogram } from '@codase/runtime/metrics';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  webhookDelivery: histogram('codase.webhook.delivery.duration', 's', 'Time of a webhook delivery, by what came back'),
  webhookWritesRetried: counter(
    'codase.webhook.writes.retried',
    '{attempt}',
    'Attempts to write down deliveries that failed and were repeated',
  ),
  webhookWritesBlocked: counter(
    'codase.webhook.writes.held',
    '{delivery}',
    'Times a delivery waited to be written down because another transaction locked its webhook or its events',
  ),
  signingKeys: gauge('codase.webhook.signing_keys', '{key}', 'Keys that sign the deliveries of a region, more than one during a rotation'),
  backlogAge: gauge('codase.webhook.backlog.age', 's', 'How long the oldest event has waited for a webhook'),
  webhooksStale: counter('codase.webhook.stale', '{alert}', 'Alerts that events for a webhook have waited for days', {
    labels: [{ 'codase.region': 'configured' }],
  }),
  eventsPurged: counter('codase.webhook.purged', '{event}', 'Events for webhooks that waited too long and are lost', {
    labels: [{ 'codase.region': 'configured' }],
  }),
};
