/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  webhookDelivery: {
    name: 'cds.webhook.delivery.duration',
    kind: 'histogram',
    unit: 's',
    what: 'Time of a webhook delivery, by what came back',
  },
  webhookWritesRetried: {
    name: 'cds.webhook.writes.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to write down deliveries that failed and were repeated',
  },
  webhookWritesHeld: {
    name: 'cds.webhook.writes.held',
    kind: 'counter',
    unit: '{delivery}',
    what: 'Times a delivery waited to be written down because somebody else held its webhook or its events',
  },
  backlogAge: { name: 'cds.webhook.backlog.age', kind: 'gauge', unit: 's', what: 'How long the oldest event has waited for a webhook' },
  webhooksStale: {
    name: 'cds.webhook.stale',
    kind: 'counter',
    unit: '{alert}',
    what: 'Alerts that events for a webhook have waited for days',
    labels: [{ 'cds.region': 'configured' }],
  },
  eventsPurged: {
    name: 'cds.webhook.purged',
    kind: 'counter',
    unit: '{event}',
    what: 'Events for webhooks that waited too long and are lost',
    labels: [{ 'cds.region': 'configured' }],
  },
} as const;
