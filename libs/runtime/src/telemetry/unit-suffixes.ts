import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import type { CollectionResult, MetricData } from '@opentelemetry/sdk-metrics';
import { nameWithUnit } from './name-with-unit.ts';

/** Adds the unit to the names of metrics, which the exporter itself leaves out. */
export class UnitSuffixes extends PrometheusExporter {
  override async collect(...args: Parameters<PrometheusExporter['collect']>): Promise<CollectionResult> {
    const { resourceMetrics, errors } = await super.collect(...args);
    const scopeMetrics = resourceMetrics.scopeMetrics.map((scope) => ({ ...scope, metrics: scope.metrics.map(withUnit) }));
    return { resourceMetrics: { ...resourceMetrics, scopeMetrics }, errors };
  }
}

function withUnit<M extends Pick<MetricData, 'descriptor'>>(metric: M): M {
  const { name, unit } = metric.descriptor;
  return { ...metric, descriptor: { ...metric.descriptor, name: nameWithUnit(name, unit) } };
}
