import { metrics } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { count, observe, startAtZero } from './metrics.ts';
import { observeProcess } from './process-metrics.ts';
import { resourceOf } from './sdk.ts';
import { UnitSuffixes } from './unit-suffixes.ts';

describe('the metrics for Prometheus', () => {
  let prometheus: UnitSuffixes;
  beforeEach(() => {
    metrics.disable();
    prometheus = new UnitSuffixes({ preventServerStart: true });
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [prometheus] }));
  });
  afterEach(() => metrics.disable());

  const names = async () =>
    (await prometheus.collect()).resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name));
  const valuesOf = async (wanted: string) =>
    (await prometheus.collect()).resourceMetrics.scopeMetrics
      .flatMap((scope) => scope.metrics)
      .filter(({ descriptor }) => descriptor.name === wanted)
      .flatMap(({ dataPoints }) => dataPoints.map(({ value, attributes }) => ({ value, attributes })));

  it('end with their unit, in seconds or bytes, once', async () => {
    const meter = metrics.getMeter('test');
    meter.createHistogram('codase.bus.answer.duration', { unit: 's' }).record(1);
    meter.createUpDownCounter('codase.http.body.bytes', { unit: 'By' }).add(1);
    meter.createCounter('codase.unexpected', { unit: '{error}' }).add(1);

    expect(await names()).toEqual(['codase.bus.answer.duration_seconds', 'codase.http.body.bytes', 'codase.unexpected']);
  });

  it('export a counter and a level as zero before their first change', async () => {
    const METRICS = {
      failed: { name: 'codase.test.failed', kind: 'counter', unit: '{attempt}', what: 'For a test' },
      open: { name: 'codase.test.open', kind: 'level', unit: '{stream}', what: 'For a test' },
    } as const;
    startAtZero(METRICS);
    expect(await valuesOf('codase.test.failed')).toEqual([{ value: 0, attributes: {} }]);
    expect(await valuesOf('codase.test.open')).toEqual([{ value: 0, attributes: {} }]);

    count(METRICS.failed);
    expect(await valuesOf('codase.test.failed')).toEqual([{ value: 1, attributes: {} }]);
  });

  it('export a counter as zero for each combination of its labels, configured values included', async () => {
    const ended = {
      name: 'codase.test.ended',
      kind: 'counter',
      unit: '{login}',
      what: 'For a test',
      labels: [{ 'codase.outcome': ['approved', 'denied'], 'codase.region': 'configured' }, { 'codase.outcome': ['lost'] }],
    } as const;
    startAtZero({ ended }, { 'codase.region': ['eu', 'us'] });
    const series = async () => (await valuesOf('codase.test.ended')).map(({ value, attributes }) => [value, ...Object.values(attributes)]);
    expect(await series()).toEqual([
      [0, 'approved', 'eu'],
      [0, 'approved', 'us'],
      [0, 'denied', 'eu'],
      [0, 'denied', 'us'],
      [0, 'lost'],
    ]);

    count(ended, { 'codase.outcome': 'denied', 'codase.region': 'us' });
    expect((await series())[3]).toEqual([1, 'denied', 'us']);
  });

  it('export the current value of a gauge, and its last value after its observation ended', async () => {
    let level = 3;
    const end = observe({ name: 'codase.test.level', kind: 'gauge', unit: '1', what: 'For a test' }, () => [
      [level, { 'codase.check': 'a' }],
    ]);
    level = 4;
    expect(await valuesOf('codase.test.level')).toEqual([{ value: 4, attributes: { 'codase.check': 'a' } }]);

    end();
    level = 5;
    expect(await valuesOf('codase.test.level')).toEqual([{ value: 4, attributes: { 'codase.check': 'a' } }]);
  });

  it('leave out a gauge whose value does not arrive in time, and export the others', async () => {
    const gauge = (name: string) => ({ name, kind: 'gauge', unit: '1', what: 'For a test' }) as const;
    observe(gauge('codase.test.unanswered'), () => new Promise(() => undefined));
    observe(gauge('codase.test.answered'), async () => [[1]]);

    const exported = await names();
    expect(exported).toContain('codase.test.answered');
    expect(exported).not.toContain('codase.test.unanswered');
  });

  it('include the CPU, memory and event loop of the process', async () => {
    observeProcess(metrics.getMeter('process'));

    expect(await names()).toEqual(
      expect.arrayContaining([
        'nodejs.eventloop.delay.p99_seconds',
        'nodejs.eventloop.utilization',
        'v8js.memory.heap.used_bytes',
        'process.memory.usage_bytes',
        'process.cpu.time_seconds',
      ]),
    );
  });

  it('carry the version and the instance; OTEL_RESOURCE_ATTRIBUTES takes precedence', () => {
    process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'service.instance.id=pod-7,k8s.namespace.name=codase';
    try {
      expect(resourceOf('gateway').attributes).toMatchObject({
        'service.name': 'gateway',
        'service.version': expect.any(String),
        'service.instance.id': 'pod-7',
        'k8s.namespace.name': 'codase',
      });
    } finally {
      delete process.env['OTEL_RESOURCE_ATTRIBUTES'];
    }
  });
});
