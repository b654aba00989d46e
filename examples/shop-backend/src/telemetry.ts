// Run as `node --import ./dist/telemetry.js dist/main.js`. Sets up traces and metrics with the company's own OpenTelemetry, which also
// receives the spans and measurements of @codase/client.
import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { setting } from './settings.ts';

const resource = resourceFromAttributes({ 'service.name': setting('OTEL_SERVICE_NAME', 'shop-backend') });
const scheduledDelayMillis = Number(setting('OTEL_BSP_SCHEDULE_DELAY', '5000'));
const hasCollector = setting('OTEL_EXPORTER_OTLP_ENDPOINT', '') !== '';
const tracerProvider = new TracerProvider({
  resource,
  spanProcessors: hasCollector ? [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis })] : [],
});
trace.setGlobalTracerProvider(tracerProvider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());

/** Answers a Prometheus scrape on any server that passes the request on. */
export const scraped = new PrometheusExporter({ preventServerStart: true });
metrics.setGlobalMeterProvider(new MeterProvider({ resource, readers: [scraped] }));

registerInstrumentations({
  tracerProvider,
  instrumentations: [new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true })],
});

/** Sends the last spans. */
export const endTelemetry = async (): Promise<void> => tracerProvider.shutdown();
