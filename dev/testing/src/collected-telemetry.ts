import { registerTracing } from '@codase/runtime/telemetry/register-tracing';
import { context, logs, metrics, propagation, trace } from '@opentelemetry/api';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

class Collector extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Keeps the spans and measurements of this process from now on. An earlier collection in this process ends. */
export function collectTelemetry() {
  forgetTelemetry();
  const [spans, collector] = [new InMemorySpanExporter(), new Collector()];
  registerTracing(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }));
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [collector] }));
  return {
    spans,
    /** Returns the name, value and attributes of every measurement. */
    async measured() {
      const { resourceMetrics } = await collector.collect();
      const all = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
      return all.flatMap(({ descriptor: { name }, dataPoints }) =>
        dataPoints.map(({ value, attributes }) => ({ name, value, attributes })),
      );
    },
  };
}

/**
 * Removes all registered telemetry. The spec files of a worker share one process: what an earlier file registered would stay, and a second
 * registration would have no effect.
 */
export function forgetTelemetry(): void {
  for (const api of [trace, context, propagation, metrics, logs]) api.disable();
}
