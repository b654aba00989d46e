import {
  metrics,
  trace,
  type Attributes as Labels,
  type Counter,
  type Gauge,
  type Histogram,
  type Meter,
  type MeterProvider,
  type Span,
  type UpDownCounter,
} from '@opentelemetry/api';
import { isDoneWithin } from '../resilience/with-timeout.ts';
import type { Attributes } from './attributes.ts';
import { exemplars } from './exemplars.ts';

/** A metric as its owner declares it, in the `metrics.ts` beside the code that counts it. */
export interface Metric<K extends Kind = Kind> {
  /** The name that dashboards and alerts use. */
  name: string;
  kind: K;
  unit: string;
  what: string;
  /** The bucket boundaries of a histogram that measures no seconds. */
  boundaries?: readonly number[];
  /** Of a counter: its labels and all their values, which are known before anything is counted, in each combination that is counted. */
  labels?: readonly LabelValues[];
  /**
   * Of a counter, in place of `labels`: labels whose values are not known before they are counted, such as kinds of errors, or services
   * that the configuration does not name. Such a series begins with its first count, which `increase` does not see: boards and alerts ask
   * for `(x unless x offset 10m) or increase(x[10m])`.
   */
  openLabels?: readonly (keyof Attributes)[];
}

/** The values of each label; `configured` stands for the values that the service's configuration names: its clients, its regions. */
type LabelValues = { readonly [A in keyof Attributes]?: readonly NonNullable<Attributes[A]>[] | 'configured' };

/** The label values that the configuration of a service names. */
export type ConfiguredLabels = { readonly [A in keyof Attributes]?: readonly NonNullable<Attributes[A]>[] };

/** The attributes that a counter declares, and no others. A counter whose declaration the compiler does not know takes any. */
type Counted<M> =
  Metric<'counter'> extends M
    ? Attributes
    : M extends { labels: readonly (infer L)[] }
      ? L extends LabelValues
        ? OneOfEach<L>
        : never
      : M extends { openLabels: readonly (infer A extends keyof Attributes)[] }
        ? { [O in A]-?: NonNullable<Attributes[O]> }
        : Record<string, never>;
type OneOfEach<L extends LabelValues> = {
  [A in keyof L & keyof Attributes]-?: L[A] extends readonly (infer V)[] ? V : NonNullable<Attributes[A]>;
};

/** A counter only grows, a level also falls, a gauge is read now and then. */
type Kind = 'counter' | 'histogram' | 'level' | 'gauge';

/** What every service counts and measures. */
export const RUNTIME_METRICS = {
  httpServer: { name: 'http.server.request.duration', kind: 'histogram', unit: 's', what: 'Time to answer an HTTP request' },
  httpConnections: { name: 'codase.http.connections', kind: 'level', unit: '{connection}', what: 'HTTP connections that are open' },
  httpConnectionsClosed: {
    name: 'codase.http.connections.closed',
    kind: 'counter',
    unit: '{connection}',
    what: 'HTTP connections refused or cut, by the limit they met: all, address, pipelined, slow_reader',
    labels: [{ 'codase.limit': ['all', 'address', 'pipelined', 'slow_reader'] }],
  },
  httpStreams: { name: 'codase.http.streams', kind: 'level', unit: '{stream}', what: 'Streams of server-sent events that are open' },
  httpBodyBytes: { name: 'codase.http.body.bytes', kind: 'level', unit: 'By', what: 'Bytes of HTTP bodies that are in memory' },
  httpOverloaded: {
    name: 'codase.http.overloaded',
    kind: 'counter',
    unit: '{request}',
    what: 'HTTP requests refused because their caller, or all together, hold too many bytes',
  },
  httpClient: { name: 'http.client.request.duration', kind: 'histogram', unit: 's', what: 'Time of an outgoing HTTP request' },
  busAnswer: { name: 'codase.bus.answer.duration', kind: 'histogram', unit: 's', what: 'Time to answer a request on the bus' },
  busHandled: { name: 'codase.bus.handle.duration', kind: 'histogram', unit: 's', what: 'Time to handle an event from a stream' },
  busRetried: {
    name: 'codase.bus.retried',
    kind: 'counter',
    unit: '{event}',
    what: 'Events whose handler failed and was tried again',
    openLabels: ['messaging.consumer.group.name'],
  },
  busPostponed: {
    name: 'codase.bus.postponed',
    kind: 'counter',
    unit: '{event}',
    what: 'Events left for later because somebody they need cannot be reached',
    openLabels: ['messaging.consumer.group.name'],
  },
  busParked: {
    name: 'codase.bus.parked',
    kind: 'counter',
    unit: '{event}',
    what: 'Events given up on and parked for an operator',
    openLabels: ['messaging.consumer.group.name'],
  },
  busOverdue: {
    name: 'codase.bus.overdue',
    kind: 'counter',
    unit: '{event}',
    what: 'Events taken from a handler that did not end in its time',
    openLabels: ['messaging.consumer.group.name'],
  },
  busHandlingSplit: {
    name: 'codase.bus.handle.split',
    kind: 'counter',
    unit: '{batch}',
    what: 'Batches of events that failed, so that each event was handled alone',
    openLabels: ['messaging.consumer.group.name'],
  },
  busSteppedAside: {
    name: 'codase.bus.stepped_aside',
    kind: 'counter',
    unit: '{consumer}',
    what: 'Times a replica handed its events back because another had older ones',
    openLabels: ['messaging.consumer.group.name'],
  },
  busInfoFailed: {
    name: 'codase.bus.consumer.info.failed',
    kind: 'counter',
    unit: '{question}',
    what: 'Times the server did not say what of a consumer is unacked: events in batches wait until it does',
    openLabels: ['messaging.consumer.group.name'],
  },
  busLost: {
    name: 'codase.bus.consumer.lost',
    kind: 'counter',
    unit: '{consumer}',
    what: 'Times a consumer was gone and was made anew',
    openLabels: ['messaging.consumer.group.name'],
  },
  busReopenRetried: {
    name: 'codase.bus.consumer.reopen.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to make a lost consumer anew that failed and were repeated',
    openLabels: ['messaging.consumer.group.name'],
  },
  busReconnected: { name: 'codase.bus.reconnected', kind: 'counter', unit: '{connection}', what: 'Times the bus connection came back' },
  busUnanswered: {
    name: 'codase.bus.unanswered',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests that could not be answered because the connection they came by was lost meanwhile',
  },
  busRepeated: {
    name: 'codase.bus.request.repeated',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Idempotent requests that were sent once more because no answer came, by subject',
    openLabels: ['messaging.destination.template'],
  },
  busUnheardRetried: {
    name: 'codase.bus.request.unheard.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Requests that nobody listened to and that were sent again, by subject',
    openLabels: ['messaging.destination.template'],
  },
  connectRetried: {
    name: 'codase.connect.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Tries to reach Postgres or NATS that had to be repeated',
    labels: [{ 'codase.check': ['nats', 'postgres'] }],
  },
  roundsFailed: {
    name: 'codase.rounds.failed',
    kind: 'counter',
    unit: '{round}',
    what: 'Rounds of repeated background work that failed; the next one follows',
    openLabels: ['codase.check'],
  },
  batchesSplit: { name: 'codase.bus.batches.split', kind: 'counter', unit: '{batch}', what: 'Batches that had to be published one by one' },
  migrationsRetried: {
    name: 'codase.migrations.retried',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Attempts to migrate a database that gave way to others who held a lock, and were repeated',
  },
  poolConnections: {
    name: 'codase.db.pool.connections',
    kind: 'gauge',
    unit: '{connection}',
    what: 'Connections of a pool, by their state: used, idle',
  },
  poolWaiting: { name: 'codase.db.pool.waiting', kind: 'gauge', unit: '{request}', what: 'Requests that wait for a connection of a pool' },
  poolLimit: { name: 'codase.db.pool.limit', kind: 'gauge', unit: '{connection}', what: 'Connections that a pool may have' },
  leasesHeld: {
    name: 'codase.leases.held',
    kind: 'gauge',
    unit: '{lease}',
    what: 'Leases on shards that this replica holds, by their kind',
  },
  ready: { name: 'codase.ready', kind: 'gauge', unit: '1', what: 'Whether the service is ready: 1 or 0' },
  unexpected: {
    name: 'codase.unexpected',
    kind: 'counter',
    unit: '{error}',
    what: 'Errors no catalogue entry covers',
    openLabels: ['error.type'],
  },
} as const satisfies Record<string, Metric>;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Instrument = Counter | UpDownCounter | Gauge | Histogram;

let instruments = new Map<string, Instrument>();
let madeBy: MeterProvider | undefined;

/** Returns the instrument of that name. It is made once, and anew when another provider takes the measurements. */
function instrument<I extends Instrument>(name: string, make: (meter: Meter) => I): I {
  const provider = metrics.getMeterProvider();
  if (provider !== madeBy) [instruments, madeBy] = [new Map(), provider];
  const known = instruments.get(name) as I | undefined;
  if (known) return known;
  const made = make(provider.getMeter('codase'));
  instruments.set(name, made);
  return made;
}

/** Adds to a counter. */
export function count<M extends Metric<'counter'>>({ name, unit, what }: M, attributes: Counted<M> = {} as Counted<M>, by = 1): void {
  instrument(name, (meter) => meter.createCounter(name, { unit, description: what })).add(by, { ...(attributes as Attributes) });
}

/** Raises a level, or lowers it when `by` is negative. */
export function raise({ name, unit, what }: Metric<'level'>, by: number): void {
  instrument(name, (meter) => meter.createUpDownCounter(name, { unit, description: what })).add(by);
}

/** Records the value that a gauge has now. */
export function read({ name, unit, what }: Metric<'gauge'>, value: number, attributes: Attributes = {}): void {
  instrument(name, (meter) => meter.createGauge(name, { unit, description: what })).record(value, { ...attributes });
}

/** Records one measurement. Its exemplar belongs to the active span, unless another one is given. */
export function measure(
  metric: Metric<'histogram'>,
  value: number,
  attributes: Attributes = {},
  span: Span | undefined = trace.getActiveSpan(),
): void {
  instrument(metric.name, (meter) => createHistogram(meter, metric)).record(value, { ...attributes });
  exemplars.offer(metric, metric.boundaries ?? SECONDS, value, attributes, span?.spanContext());
}

const createHistogram = (meter: Meter, { name, unit, what, boundaries = SECONDS }: Metric<'histogram'>): Histogram =>
  meter.createHistogram(name, { unit, description: what, advice: { explicitBucketBoundaries: [...boundaries] } });

/** Records seconds since `startedAt`, a performance.now() reading. */
export const timed = (metric: Metric<'histogram'>, startedAt: number, attributes: Attributes = {}, span?: Span): void =>
  measure(metric, (performance.now() - startedAt) / 1000, attributes, span);

/**
 * Lets counters and levels begin at 0. A counter that begins with its first count would hide that count from a query for its increase, and
 * a level that was never raised would be missing from its board. A counter with labels begins with every combination of their values.
 */
export function startAtZero(declared: Readonly<Record<string, Metric>>, configured: ConfiguredLabels = {}): void {
  for (const metric of Object.values(declared)) {
    if (metric.kind === 'counter')
      for (const attributes of combinations(metric.labels ?? [{}], configured)) countFromZero(metric as Metric<'counter'>, attributes);
    if (metric.kind === 'level') raise(metric as Metric<'level'>, 0);
  }
}

/** Lets one counter begin at 0, when its labels are known only when the work begins that it counts. */
export const countFromZero = (metric: Metric<'counter'>, attributes: Attributes = {}): void => count(metric, attributes, 0);

/** Every combination of label values. A label whose values the configuration does not name is left out. */
const combinations = (labels: readonly LabelValues[], configured: ConfiguredLabels): Attributes[] =>
  labels.flatMap((values) =>
    (Object.keys(values) as (keyof Attributes)[]).reduce<Attributes[]>(
      (made, label) => {
        const each = values[label] === 'configured' ? configured[label] : values[label];
        return each ? made.flatMap((one) => each.map((value) => ({ ...one, [label]: value }))) : made;
      },
      [{}],
    ),
  );

type Observation = readonly [value: number, attributes?: Attributes];

/** How long a collection waits for the value of a gauge: less than Prometheus waits, and longer than a readiness check may take. */
const CHECK_MS = 5000;

/** Reads a gauge at each collection, unless its value comes late. Returns a function that ends this. */
export function observe(
  { name, unit, what }: Metric<'gauge'>,
  read: () => readonly Observation[] | Promise<readonly Observation[]>,
): () => void {
  const gauge = metrics.getMeter('codase').createObservableGauge(name, { unit, description: what });
  const callback = async (result: { observe(value: number, labels?: Labels): void }) => {
    const reading = Promise.resolve(read());
    if (!(await isDoneWithin(CHECK_MS, reading))) return;
    for (const [value, attributes] of await reading) result.observe(value, { ...attributes });
  };
  gauge.addCallback(callback);
  return () => gauge.removeCallback(callback);
}
