import { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler, type Sampler } from '@opentelemetry/sdk-trace';

type Env = Readonly<Record<string, string | undefined>>;

/** The kinds of telemetry that are sent by OTLP. */
type Signal = 'traces' | 'metrics' | 'logs';

/**
 * Whether a kind of telemetry is sent by OTLP: when an endpoint is set and `OTEL_TRACES_EXPORTER`, `OTEL_METRICS_EXPORTER` or
 * `OTEL_LOGS_EXPORTER` is `otlp`. Without that variable traces are sent, and metrics and logs are not: Prometheus reads the metrics, and
 * the platform collects the lines of standard output.
 */
export function isSent(signal: Signal, env: Env = process.env): boolean {
  const kind = signal.toUpperCase();
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env[`OTEL_EXPORTER_OTLP_${kind}_ENDPOINT`];
  return Boolean(endpoint) && (env[`OTEL_${kind}_EXPORTER`] || (signal === 'traces' ? 'otlp' : 'none')) === 'otlp';
}

/** How long spans and log records are collected before they are sent. The SDK does not read these variables since version 3. */
export const batchDelays = (env: Env = process.env) => ({
  spans: millisecondsIn(env['OTEL_BSP_SCHEDULE_DELAY'], 5000),
  logs: millisecondsIn(env['OTEL_BLRP_SCHEDULE_DELAY'], 1000),
  metrics: millisecondsIn(env['OTEL_METRIC_EXPORT_INTERVAL'], 60_000),
});

/** The sampler that `OTEL_TRACES_SAMPLER` names. The SDK does not read this variable since version 3. */
export function samplerOf(env: Env = process.env): Sampler {
  const ratio = Number(env['OTEL_TRACES_SAMPLER_ARG'] || 1);
  const roots: Readonly<Record<string, Sampler>> = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: new TraceIdRatioBasedSampler(ratio),
  };
  const name = env['OTEL_TRACES_SAMPLER'] || 'parentbased_always_on';
  return roots[name] ?? new ParentBasedSampler({ root: roots[name.replace('parentbased_', '')] ?? new AlwaysOnSampler() });
}

function millisecondsIn(text: string | undefined, otherwise: number): number {
  const number = Number(text);
  return text && number > 0 ? number : otherwise;
}
