import type { IncomingMessage } from 'node:http';
import { DataPointType, type DataPoint, type Histogram, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Exemplar, Exemplars } from './exemplars.ts';

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** Whether a scraper reads OpenMetrics; the older format has no exemplars. */
export const readsOpenMetrics = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers.accept?.includes('application/openmetrics-text') ?? false;

type Labels = Readonly<Record<string, unknown>>;

/** Writes the collected metrics with the same series as the exporter of the SDK, and with exemplars, which that exporter cannot write. */
export function openMetrics({ resource, scopeMetrics }: ResourceMetrics, exemplars: Exemplars): string {
  const families = scopeMetrics.flatMap(({ scope: { name, version }, metrics }) =>
    metrics.flatMap((metric) => family(metric, { otel_scope_name: name, ...(version && { otel_scope_version: version }) }, exemplars)),
  );
  const target = ['# TYPE target info', '# HELP target What this process is', sample('target_info', resource.attributes, 1)];
  return [...target, ...families, '# EOF', ''].join('\n');
}

function family(metric: MetricData, scope: Labels, exemplars: Exemplars): string[] {
  const { descriptor, dataPointType } = metric;
  const name = plain(descriptor.name);
  const isCounter = dataPointType === DataPointType.SUM && metric.isMonotonic;
  // In OpenMetrics, `_total` belongs to the sample of a counter, not to its name.
  const family = isCounter ? name.replace(/_total$/, '') : name;
  const type = dataPointType === DataPointType.HISTOGRAM ? 'histogram' : isCounter ? 'counter' : 'gauge';
  const head = [`# TYPE ${family} ${type}`, `# HELP ${family} ${escape(descriptor.description || 'No description')}`];
  switch (dataPointType) {
    case DataPointType.HISTOGRAM:
      return [...head, ...metric.dataPoints.flatMap((point) => histogram(descriptor.name, point, scope, exemplars))];
    case DataPointType.SUM:
    case DataPointType.GAUGE:
      return [
        ...head,
        ...metric.dataPoints.map(({ attributes, value }) =>
          sample(isCounter ? `${family}_total` : name, { ...attributes, ...scope }, value),
        ),
      ];
    default:
      return []; // no code of ours makes exponential histograms
  }
}

function histogram(
  descriptorName: string,
  { attributes, value: { buckets, count, sum } }: DataPoint<Histogram>,
  scope: Labels,
  exemplars: Exemplars,
): string[] {
  const [name, labels] = [plain(descriptorName), { ...attributes, ...scope }];
  let below = 0;
  return [
    ...buckets.counts.map((many, index) => {
      below += many;
      const le = String(buckets.boundaries[index] ?? '+Inf');
      return sample(`${name}_bucket`, { ...labels, le }, below, exemplars.find(descriptorName, index, attributes));
    }),
    sample(`${name}_count`, labels, count),
    ...(sum === undefined ? [] : [sample(`${name}_sum`, labels, sum)]),
  ];
}

function sample(name: string, labels: Labels, value: number, exemplar?: Exemplar): string {
  const written = `${name}${braces(labels)} ${number(value)}`;
  if (!exemplar) return written;
  const { trace_id, span_id, at } = exemplar;
  return `${written} # ${braces({ trace_id, span_id })} ${number(exemplar.value)} ${at / 1000}`;
}

function braces(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${plain(name)}="${escape(text(value)).replaceAll('"', '\\"')}"`);
  return pairs.length ? `{${pairs.join(',')}}` : '';
}

const plain = (name: string): string => name.replace(/[^a-z0-9_]/gi, '_').replace(/_{2,}/g, '_');
const escape = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const text = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const number = (value: number): string => (Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN');
