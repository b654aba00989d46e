import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

class Collector extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** From now on spans and measurements of this process are kept, to be looked at; an earlier collection in this process ends. */
export function collectTelemetry() {
  forgetTelemetry();
  const [spans, collector] = [new InMemorySpanExporter(), new Collector()];
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [collector] }));
  return {
    spans,
    /** Name, value and attributes of everything that was measured. */
    async measured() {
      const { resourceMetrics } = await collector.collect();
      const all = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
      return all.flatMap(({ descriptor: { name }, dataPoints }) =>
        dataPoints.map(({ value, attributes }) => ({ name, value, attributes })),
      );
    },
  };
}

/** Spec files of a worker share one process: what an earlier one registered would stay, and a second registration would do nothing. */
export function forgetTelemetry(): void {
  for (const api of [trace, context, propagation, metrics]) api.disable();
}
