/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  webhookDelivery: {
    name: 'codase.webhook.delivery.duration',
    kind: 'histogram',
    unit: 's',
    what: 'Time of a webhook delivery, by what came back',
  },
  webhookWritesRetried: {
    name: 'codase.webhook.writes.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to write down deliveries that failed and were repeated',
  },
  webhookWritesHeld: {
    name: 'codase.webhook.writes.held',
    kind: 'counter',
    unit: '{delivery}',
    what: 'Times a delivery waited to be written down because somebody else held its webhook or its events',
  },
  backlogAge: { name: 'codase.webhook.backlog.age', kind: 'gauge', unit: 's', what: 'How long the oldest event has waited for a webhook' },
  webhooksStale: {
    name: 'codase.webhook.stale',
    kind: 'counter',
    unit: '{alert}',
    what: 'Alerts that events for a webhook have waited for days',
    labels: [{ 'codase.region': 'configured' }],
  },
  eventsPurged: {
    name: 'codase.webhook.purged',
    kind: 'counter',
    unit: '{event}',
    what: 'Events for webhooks that waited too long and are lost',
    labels: [{ 'codase.region': 'configured' }],
  },
} as const;
