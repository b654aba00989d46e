import { metrics, type Counter, type Gauge, type Histogram, type Meter, type MeterProvider, type UpDownCounter } from '@opentelemetry/api';
import type { Attributes } from './attributes.ts';

/** Every metric there is, by the name dashboards and alerts use. */
export const METRICS = {
  httpServer: { name: 'http.server.request.duration', kind: 'histogram', unit: 's', what: 'Time to answer an HTTP request' },
  httpClient: { name: 'http.client.request.duration', kind: 'histogram', unit: 's', what: 'Time of an outgoing HTTP request' },
  busAnswer: { name: 'cds.bus.answer.duration', kind: 'histogram', unit: 's', what: 'Time to answer a request on the bus' },
  busHandled: { name: 'cds.bus.handle.duration', kind: 'histogram', unit: 's', what: 'Time to handle an event from a stream' },
  busRetried: { name: 'cds.bus.retried', kind: 'counter', unit: '{event}', what: 'Events whose handler failed and was tried again' },
  busPostponed: {
    name: 'cds.bus.postponed',
    kind: 'counter',
    unit: '{event}',
    what: 'Events left for later because somebody they need cannot be reached',
  },
  busParked: { name: 'cds.bus.parked', kind: 'counter', unit: '{event}', what: 'Events given up on and parked for an operator' },
  busOverdue: {
    name: 'cds.bus.overdue',
    kind: 'counter',
    unit: '{event}',
    what: 'Events taken from a handler that did not end in its time',
  },
  busLost: { name: 'cds.bus.consumer.lost', kind: 'counter', unit: '{consumer}', what: 'Times a consumer was gone and was made anew' },
  busReopenRetried: {
    name: 'cds.bus.consumer.reopen.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to make a lost consumer anew that failed and were repeated',
  },
  busReconnected: { name: 'cds.bus.reconnected', kind: 'counter', unit: '{connection}', what: 'Times the bus connection came back' },
  connectRetried: {
    name: 'cds.connect.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Tries to reach Postgres or NATS that had to be repeated',
  },
  roundsFailed: {
    name: 'cds.rounds.failed',
    kind: 'counter',
    unit: '{round}',
    what: 'Rounds of repeated background work that failed; the next one follows',
  },
  rateLimited: { name: 'cds.rate_limited', kind: 'counter', unit: '{request}', what: 'Requests refused by a rate limit' },
  tokensIssued: { name: 'cds.tokens.issued', kind: 'counter', unit: '{token}', what: 'Access tokens issued' },
  grantsSwept: {
    name: 'cds.grants.swept',
    kind: 'counter',
    unit: '{row}',
    what: 'Codes, refresh tokens and sessions deleted after their time',
  },
  tokenRenewals: { name: 'cds.gateway.token.renewals', kind: 'counter', unit: '{token}', what: 'Access tokens the gateway requested' },
  rebased: { name: 'cds.gateway.rebased', kind: 'counter', unit: '{request}', what: 'Requests sent again to the base a 421 named' },
  gatewayWaits: {
    name: 'cds.gateway.waits',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests that waited and were sent again, by the error key that asked for it',
  },
  gatewayQueue: {
    name: 'cds.gateway.queue',
    kind: 'level',
    unit: '{request}',
    what: 'Requests that wait for their turn below the limits of the platform',
  },
  gatewayRefused: {
    name: 'cds.gateway.refused',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests the gateway refused by itself, by the reason',
  },
  breakersOpen: {
    name: 'cds.gateway.breakers.open',
    kind: 'level',
    unit: '{base}',
    what: 'Bases of the platform that are not asked because they cannot be reached',
  },
  answersCached: {
    name: 'cds.gateway.cached',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests answered from what the platform had said before',
  },
  companiesMoved: { name: 'cds.region_move.done', kind: 'counter', unit: '{company}', what: 'Companies that moved to another region' },
  moveTroubles: { name: 'cds.region_move.troubles', kind: 'counter', unit: '{attempt}', what: 'Attempts at a step of a move that failed' },
  slotChangesPostponed: {
    name: 'cds.slot_changes.postponed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to deliver a change of slots to another region that failed and are repeated',
  },
  slotChangesGivenUp: {
    name: 'cds.slot_changes.given_up',
    kind: 'counter',
    unit: '{change}',
    what: 'Changes of slots that another region refused for good',
  },
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
  feedReceived: { name: 'cds.feed.received', kind: 'counter', unit: '{event}', what: 'Events the feed consumer stored, repeats left out' },
  feedDrains: { name: 'cds.feed.drains', kind: 'counter', unit: '{drain}', what: 'Drains the feed consumer made and stored' },
  feedDrainsFailed: {
    name: 'cds.feed.drains.failed',
    kind: 'counter',
    unit: '{drain}',
    what: 'Drains of the feed consumer that failed, by error key or the kind of error',
  },
  feedUnreadable: {
    name: 'cds.feed.unreadable',
    kind: 'counter',
    unit: '{event}',
    what: 'What came as an event, could not be read as one, and was parked',
  },
  feedReconciled: {
    name: 'cds.feed.reconciled',
    kind: 'counter',
    unit: '{event}',
    what: 'Events found missing by comparing with the platform',
  },
  feedRetold: {
    name: 'cds.feed.retold',
    kind: 'counter',
    unit: '{event}',
    what: 'Events a comparison told to be sure: nobody can say whether they were told before',
  },
  feedRefused: {
    name: 'cds.feed.refused',
    kind: 'counter',
    unit: '{delivery}',
    what: 'Webhook deliveries that were not taken, by error key',
  },
  spoolAge: { name: 'cds.feed.spool.age', kind: 'gauge', unit: 's', what: 'How long the oldest event has waited to be published' },
  feedPublished: { name: 'cds.feed.published', kind: 'counter', unit: '{event}', what: 'Events the stream holds' },
  feedPublishFailed: {
    name: 'cds.feed.publish.failed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to publish what is stored that failed, by subject',
  },
  batchesSplit: { name: 'cds.bus.batches.split', kind: 'counter', unit: '{batch}', what: 'Batches that had to be published one by one' },
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
  },
  eventsPurged: {
    name: 'cds.webhook.purged',
    kind: 'counter',
    unit: '{event}',
    what: 'Events for webhooks that waited too long and are lost',
  },
  mailSent: { name: 'cds.mail.sent', kind: 'counter', unit: '{mail}', what: 'Mails the relay has taken' },
  mailFailed: {
    name: 'cds.mail.failed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Tries to send a mail that failed, by the kind of error',
  },
  mailGivenUp: { name: 'cds.mail.given_up', kind: 'counter', unit: '{mail}', what: 'Mails that were refused for good or waited too long' },
  feedDrained: {
    name: 'cds.feed.drained',
    kind: 'counter',
    unit: '{event}',
    what: 'Events that left the pull feed, with the answer or by acknowledgement of a lease',
  },
  feedCut: { name: 'cds.feed.cut', kind: 'counter', unit: '{drain}', what: 'Drains whose answer was cut off, and whose events come again' },
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
  openAsked: { name: 'cds.client.opened', kind: 'counter', unit: '{value}', what: 'Values the client asked the decryptor for' },
  republished: {
    name: 'cds.told_again',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to take back what the regions were told of a change that was not committed',
  },
  unexpected: { name: 'cds.unexpected', kind: 'counter', unit: '{error}', what: 'Errors no catalogue entry covers' },
} as const satisfies Record<string, Metric>;

interface Metric {
  name: string;
  /** A counter only grows, a level also falls, a gauge is read now and then. */
  kind: 'counter' | 'histogram' | 'level' | 'gauge';
  unit: string;
  what: string;
  /** Of a histogram that measures no seconds. */
  boundaries?: readonly number[];
}

export type MetricName = keyof typeof METRICS;
export type CounterName = Named<'counter'>;
type Named<K> = { [M in keyof typeof METRICS]: (typeof METRICS)[M]['kind'] extends K ? M : never }[keyof typeof METRICS];

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Instrument = Counter | UpDownCounter | Gauge | Histogram;

let instruments = new Map<string, Instrument>();
let madeBy: MeterProvider | undefined;

/** An instrument is made once, and anew when measurements go somewhere else. */
function instrument<I extends Instrument>(name: string, make: (meter: Meter) => I): I {
  const provider = metrics.getMeterProvider();
  if (provider !== madeBy) [instruments, madeBy] = [new Map(), provider];
  const made = (instruments.get(name) as I | undefined) ?? make(provider.getMeter('cds'));
  instruments.set(name, made);
  return made;
}

/** Adds to a counter. */
export function count(metric: CounterName, attributes: Attributes = {}, by = 1): void {
  const { name, unit, what } = METRICS[metric];
  instrument(name, (meter) => meter.createCounter(name, { unit, description: what })).add(by, { ...attributes });
}

/** Raises or, by less than nothing, lowers a level. */
export function raise(metric: Named<'level'>, by: number): void {
  const { name, unit, what } = METRICS[metric];
  instrument(name, (meter) => meter.createUpDownCounter(name, { unit, description: what })).add(by);
}

/** Notes how something stands now. */
export function read(metric: Named<'gauge'>, value: number, attributes: Attributes = {}): void {
  const { name, unit, what } = METRICS[metric];
  instrument(name, (meter) => meter.createGauge(name, { unit, description: what })).record(value, { ...attributes });
}

/** Records one measurement. */
export function measure(metric: Named<'histogram'>, value: number, attributes: Attributes = {}): void {
  const { name, unit, what, boundaries = SECONDS }: Metric = METRICS[metric];
  const advice = { explicitBucketBoundaries: [...boundaries] };
  instrument(name, (meter) => meter.createHistogram(name, { unit, description: what, advice })).record(value, { ...attributes });
}

/** Records seconds since `startedAt`, a performance.now() reading. */
export const timed = (metric: Named<'histogram'>, startedAt: number, attributes: Attributes = {}): void =>
  measure(metric, (performance.now() - startedAt) / 1000, attributes);
