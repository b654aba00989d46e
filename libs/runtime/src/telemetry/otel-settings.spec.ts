import { batchDelays, isSent, samplerOf } from './otel-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('what is sent by OTLP', () => {
  it.each([
    ['nothing without an endpoint', {}, []],
    ['nothing without an endpoint, even when it is named', { OTEL_LOGS_EXPORTER: 'otlp' }, []],
    ['traces with an endpoint', ENDPOINT, ['traces']],
    ['metrics and logs when they are named', { ...ENDPOINT, OTEL_METRICS_EXPORTER: 'otlp', OTEL_LOGS_EXPORTER: 'otlp' }, undefined],
    ['no traces when they are refused', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'otlp' }, ['logs']],
    [
      'one kind, to an endpoint of its own',
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://m', OTEL_METRICS_EXPORTER: 'otlp' },
      ['metrics'],
    ],
  ])('is %s', (_, env, signals = ['traces', 'metrics', 'logs']) => {
    expect((['traces', 'metrics', 'logs'] as const).filter((signal) => isSent(signal, env))).toEqual(signals);
  });
});

describe('settings that the SDK does not read', () => {
  it('say how often telemetry is sent', () => {
    expect(batchDelays({})).toEqual({ spans: 5000, logs: 1000, metrics: 60_000 });
    expect(batchDelays({ OTEL_BSP_SCHEDULE_DELAY: '300', OTEL_BLRP_SCHEDULE_DELAY: '-1', OTEL_METRIC_EXPORT_INTERVAL: 'often' })).toEqual({
      spans: 300,
      logs: 1000,
      metrics: 60_000,
    });
  });

  it.each([
    [undefined, 'ParentBased{root=AlwaysOnSampler'],
    ['unheard-of', 'ParentBased{root=AlwaysOnSampler'],
    ['always_off', 'AlwaysOffSampler'],
    ['traceidratio', 'TraceIdRatioBased{0.25}'],
    ['parentbased_traceidratio', 'ParentBased{root=TraceIdRatioBased{0.25}'],
  ])('name the sampler: %s', (name, sampler) => {
    expect(samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0.25' }).toString()).toContain(sampler);
  });
});
