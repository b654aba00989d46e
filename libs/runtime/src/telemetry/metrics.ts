import { metrics, type Counter, type Histogram } from '@opentelemetry/api';
import type { Attributes } from './attributes.ts';

/** Every metric there is, by the name dashboards and alerts use. */
export const METRICS = {
  httpServer: { name: 'http.server.request.duration', kind: 'histogram', unit: 's', what: 'Time to answer an HTTP request' },
  httpClient: { name: 'http.client.request.duration', kind: 'histogram', unit: 's', what: 'Time of an outgoing HTTP request' },
  busAnswer: { name: 'cds.bus.answer.duration', kind: 'histogram', unit: 's', what: 'Time to answer a request on the bus' },
  busHandled: { name: 'cds.bus.handle.duration', kind: 'histogram', unit: 's', what: 'Time to handle an event from a stream' },
  busRetried: { name: 'cds.bus.retried', kind: 'counter', unit: '{event}', what: 'Events whose handler failed and was tried again' },
  busParked: { name: 'cds.bus.parked', kind: 'counter', unit: '{event}', what: 'Events given up on and parked for an operator' },
  busReconnected: { name: 'cds.bus.reconnected', kind: 'counter', unit: '{connection}', what: 'Times the bus connection came back' },
  connectRetried: { name: 'cds.connect.retried', kind: 'counter', unit: '{attempt}', what: 'Tries to reach Postgres or NATS that had to be repeated' },
  rateLimited: { name: 'cds.rate_limited', kind: 'counter', unit: '{request}', what: 'Requests refused by a rate limit' },
  tokensIssued: { name: 'cds.tokens.issued', kind: 'counter', unit: '{token}', what: 'Access tokens issued' },
  tokenRenewals: { name: 'cds.gateway.token.renewals', kind: 'counter', unit: '{token}', what: 'Access tokens the gateway requested' },
  rebased: { name: 'cds.gateway.rebased', kind: 'counter', unit: '{request}', what: 'Requests sent again to the base a 421 named' },
  unexpected: { name: 'cds.unexpected', kind: 'counter', unit: '{error}', what: 'Errors no catalogue entry covers' },
} as const satisfies Record<string, { name: string; kind: 'counter' | 'histogram'; unit: string; what: string }>;

type Named<K> = { [M in keyof typeof METRICS]: (typeof METRICS)[M]['kind'] extends K ? M : never }[keyof typeof METRICS];

const BOUNDARIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const counters = new Map<string, Counter>();
const histograms = new Map<string, Histogram>();

/** Adds to a counter. */
export function count(metric: Named<'counter'>, attributes: Attributes = {}, by = 1): void {
  const { name, unit, what } = METRICS[metric];
  const counter = counters.get(name) ?? metrics.getMeter('cds').createCounter(name, { unit, description: what });
  counters.set(name, counter);
  counter.add(by, { ...attributes });
}

/** Records seconds since `startedAt`, a performance.now() reading. */
export function timed(metric: Named<'histogram'>, startedAt: number, attributes: Attributes = {}): void {
  const { name, unit, what } = METRICS[metric];
  const histogram = histograms.get(name) ?? metrics.getMeter('cds').createHistogram(name, { unit, description: what, advice: { explicitBucketBoundaries: BOUNDARIES } });
  histograms.set(name, histogram);
  histogram.record((performance.now() - startedAt) / 1000, { ...attributes });
}
