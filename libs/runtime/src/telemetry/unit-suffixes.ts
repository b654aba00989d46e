import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import type { CollectionResult, MetricData } from '@opentelemetry/sdk-metrics';

const SUFFIXES: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

/** Prometheus wants the unit at the end of a name; the exporter leaves it out. */
export class UnitSuffixes extends PrometheusExporter {
  override async collect(...args: Parameters<PrometheusExporter['collect']>): Promise<CollectionResult> {
    const { resourceMetrics, errors } = await super.collect(...args);
    const scopeMetrics = resourceMetrics.scopeMetrics.map((scope) => ({ ...scope, metrics: scope.metrics.map(withUnit) }));
    return { resourceMetrics: { ...resourceMetrics, scopeMetrics }, errors };
  }
}

export function withUnit<M extends Pick<MetricData, 'descriptor'>>(metric: M): M {
  const { name, unit } = metric.descriptor;
  const suffix = SUFFIXES[unit];
  if (suffix === undefined || name.endsWith(suffix)) return metric;
  return { ...metric, descriptor: { ...metric.descriptor, name: `${name}_${suffix}` } };
}
