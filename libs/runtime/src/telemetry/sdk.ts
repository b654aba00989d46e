import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { keepKnownAttributes } from './known-attributes-exporter.ts';
import { telemetry } from './running.ts';

/** Starts traces and metrics for this process. Spans leave by OTLP where OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export function startTelemetry(serviceName: string, exporter: SpanExporter | undefined = otlp()): void {
  const resource = resourceFromAttributes({ [ATTR_SERVICE_NAME]: serviceName });
  const spanProcessors = exporter ? [new BatchSpanProcessor(keepKnownAttributes(exporter))] : [];
  const tracerProvider = new NodeTracerProvider({ resource, spanProcessors });
  tracerProvider.register();
  const prometheus = new PrometheusExporter({ preventServerStart: true });
  const meterProvider = new MeterProvider({ resource, readers: [prometheus] });
  metrics.setGlobalMeterProvider(meterProvider);
  registerInstrumentations({
    tracerProvider,
    meterProvider,
    instrumentations: [new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true })],
  });
  telemetry.writeMetrics = (request, response) => prometheus.getMetricsRequestHandler(request, response);
  telemetry.flush = async () => {
    await Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown()]);
  };
}

const otlp = () => (process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ? new OTLPTraceExporter() : undefined);
