import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { metrics } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { detectResources, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { AggregationType, MeterProvider, type MetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import { exemplars } from './exemplars.ts';
import { keepKnownAttributes } from './known-attributes-exporter.ts';
import { OPEN_METRICS_TYPE, openMetrics, readsOpenMetrics } from './open-metrics.ts';
import { observeProcess } from './process-metrics.ts';
import { telemetry } from './running.ts';
import { UnitSuffixes } from './unit-suffixes.ts';

/** Starts traces and metrics for this process. Spans are exported by OTLP when OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export function startTelemetry(serviceName: string, exporter: SpanExporter | undefined = otlp()): void {
  const resource = resourceOf(serviceName);
  const spanProcessors = exporter ? [new BatchSpanProcessor(keepKnownAttributes(exporter))] : [];
  const tracerProvider = new NodeTracerProvider({ resource, spanProcessors });
  tracerProvider.register();
  const prometheus = new UnitSuffixes({ preventServerStart: true });
  const meterProvider = new MeterProvider({ resource, readers: [prometheus], views: [WITHOUT_POOLS_OF_PG] });
  metrics.setGlobalMeterProvider(meterProvider);
  observeProcess(meterProvider.getMeter('process'));
  const version = String(resource.attributes['service.version']);
  meterProvider
    .getMeter('codase')
    .createGauge('codase.build.info', { description: 'What runs: always 1' })
    .record(1, { version, node: process.version });
  registerInstrumentations({
    tracerProvider,
    meterProvider,
    instrumentations: [new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true })],
  });
  telemetry.writeMetrics = (request, response) => {
    if (readsOpenMetrics(request)) void writeOpenMetrics(prometheus, response);
    else prometheus.getMetricsRequestHandler(request, response);
  };
  telemetry.flush = async () => {
    await Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown()]);
  };
}

async function writeOpenMetrics(reader: MetricReader, response: ServerResponse): Promise<void> {
  try {
    const { resourceMetrics } = await reader.collect();
    response.writeHead(200, { 'content-type': OPEN_METRICS_TYPE }).end(openMetrics(resourceMetrics, exemplars));
  } catch (error) {
    response.writeHead(500, { 'content-type': 'text/plain' }).end(`Metrics cannot be collected: ${(error as Error).name}\n`);
  }
}

const otlp = () => (process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ? new OTLPTraceExporter() : undefined);

/** Drops the instrumentation's pool metrics, which name no host and mix all pools: `codase.db.pool.*` replace them. */
const WITHOUT_POOLS_OF_PG = { meterName: '@opentelemetry/instrumentation-pg', aggregation: { type: AggregationType.DROP } } as const;

/** The resource of this process. Values in OTEL_RESOURCE_ATTRIBUTES take precedence over those that are known here. */
export const resourceOf = (serviceName: string): Resource =>
  resourceFromAttributes({
    'service.name': serviceName,
    'service.version': process.env['CODASE_VERSION'] || 'development',
    'service.instance.id': process.env['HOSTNAME'] || randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
