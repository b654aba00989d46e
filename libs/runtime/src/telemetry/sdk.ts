import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { logs, metrics } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { detectResources, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider, type LogRecordExporter } from '@opentelemetry/sdk-logs';
import {
  AggregationType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { exemplars } from './exemplars.ts';
import { keepKnownAttributes } from './known-attributes-exporter.ts';
import { keepOwnRecords } from './own-records-exporter.ts';
import { OPEN_METRICS_TYPE, openMetrics, readsOpenMetrics } from './open-metrics.ts';
import { batchDelays, isSent, samplerOf } from './otel-settings.ts';
import { observeProcess } from './process-metrics.ts';
import { registerTracing } from './register-tracing.ts';
import { telemetry } from './running.ts';
import { UnitSuffixes } from './unit-suffixes.ts';

/** Where telemetry is sent. What has no exporter is not sent. */
export interface Exporters {
  spans?: SpanExporter;
  metrics?: PushMetricExporter;
  logs?: LogRecordExporter;
}

/** Starts traces, metrics and logs for this process. They are sent by OTLP as the variables of OpenTelemetry say. */
export function startTelemetry(serviceName: string, exporters: Exporters = otlp()): void {
  const [resource, delays] = [resourceOf(serviceName), batchDelays()];
  const tracerProvider = new TracerProvider({
    resource,
    sampler: samplerOf(),
    spanProcessors: processorsOf(exporters.spans, delays.spans),
  });
  registerTracing(tracerProvider);
  const prometheus = new UnitSuffixes({ preventServerStart: true });
  const readers = [prometheus, ...readersOf(exporters.metrics, delays.metrics)];
  const meterProvider = new MeterProvider({ resource, readers, views: [WITHOUT_POOLS_OF_PG] });
  metrics.setGlobalMeterProvider(meterProvider);
  const loggerProvider = new LoggerProvider({ resource, processors: recordProcessorsOf(exporters.logs, delays.logs) });
  if (exporters.logs) logs.setGlobalLoggerProvider(loggerProvider);
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
    await Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown(), loggerProvider.shutdown()]);
  };
}

const processorsOf = (exporter: SpanExporter | undefined, scheduledDelayMillis: number) =>
  exporter ? [new BatchSpanProcessor({ exporter: keepKnownAttributes(exporter), scheduledDelayMillis })] : [];

const readersOf = (exporter: PushMetricExporter | undefined, exportIntervalMillis: number) =>
  exporter ? [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis: exportIntervalMillis / 2 })] : [];

const recordProcessorsOf = (exporter: LogRecordExporter | undefined, scheduledDelayMillis: number) =>
  exporter ? [new BatchLogRecordProcessor({ exporter: keepOwnRecords(exporter), scheduledDelayMillis })] : [];

async function writeOpenMetrics(reader: MetricReader, response: ServerResponse): Promise<void> {
  try {
    const { resourceMetrics } = await reader.collect();
    response.writeHead(200, { 'content-type': OPEN_METRICS_TYPE }).end(openMetrics(resourceMetrics, exemplars));
  } catch (error) {
    response.writeHead(500, { 'content-type': 'text/plain' }).end(`Metrics cannot be collected: ${(error as Error).name}\n`);
  }
}

const otlp = (): Exporters => ({
  ...(isSent('traces') && { spans: new OTLPTraceExporter() }),
  ...(isSent('metrics') && { metrics: new OTLPMetricExporter() }),
  ...(isSent('logs') && { logs: new OTLPLogExporter() }),
});

/** Drops the instrumentation's pool metrics, which name no host and mix all pools: `codase.db.pool.*` replace them. */
const WITHOUT_POOLS_OF_PG = { meterName: '@opentelemetry/instrumentation-pg', aggregation: { type: AggregationType.DROP } } as const;

/** The resource of this process. Values in OTEL_RESOURCE_ATTRIBUTES take precedence over those that are known here. */
export const resourceOf = (serviceName: string): Resource =>
  resourceFromAttributes({
    'service.name': serviceName,
    'service.version': process.env['CODASE_VERSION'] || 'development',
    'service.instance.id': process.env['HOSTNAME'] || randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
