import { metrics } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { count, observe, startAtZero } from './metrics.ts';
import { observeProcess } from './process-metrics.ts';
import { resourceOf } from './sdk.ts';
import { UnitSuffixes } from './unit-suffixes.ts';

describe('what Prometheus reads', () => {
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

  it('names units: seconds and bytes, once', async () => {
    const meter = metrics.getMeter('test');
    meter.createHistogram('cds.bus.answer.duration', { unit: 's' }).record(1);
    meter.createUpDownCounter('cds.http.body.bytes', { unit: 'By' }).add(1);
    meter.createCounter('cds.unexpected', { unit: '{error}' }).add(1);

    expect(await names()).toEqual(['cds.bus.answer.duration_seconds', 'cds.http.body.bytes', 'cds.unexpected']);
  });

  it('has counters and levels from their beginning', async () => {
    const METRICS = {
      failed: { name: 'cds.test.failed', kind: 'counter', unit: '{attempt}', what: 'For a test' },
      open: { name: 'cds.test.open', kind: 'level', unit: '{stream}', what: 'For a test' },
    } as const;
    startAtZero(METRICS);
    expect(await valuesOf('cds.test.failed')).toEqual([{ value: 0, attributes: {} }]);
    expect(await valuesOf('cds.test.open')).toEqual([{ value: 0, attributes: {} }]);

    count(METRICS.failed);
    expect(await valuesOf('cds.test.failed')).toEqual([{ value: 1, attributes: {} }]);
  });

  it('has counters from their beginning with each value of their labels, also those that the configuration names', async () => {
    const ended = {
      name: 'cds.test.ended',
      kind: 'counter',
      unit: '{login}',
      what: 'For a test',
      labels: [{ 'cds.outcome': ['approved', 'denied'], 'cds.region': 'configured' }, { 'cds.outcome': ['lost'] }],
    } as const;
    startAtZero({ ended }, { 'cds.region': ['eu', 'us'] });
    const series = async () => (await valuesOf('cds.test.ended')).map(({ value, attributes }) => [value, ...Object.values(attributes)]);
    expect(await series()).toEqual([
      [0, 'approved', 'eu'],
      [0, 'approved', 'us'],
      [0, 'denied', 'eu'],
      [0, 'denied', 'us'],
      [0, 'lost'],
    ]);

    count(ended, { 'cds.outcome': 'denied', 'cds.region': 'us' });
    expect((await series())[3]).toEqual([1, 'denied', 'us']);
  });

  it('has gauges as they stand, and as they stood once nobody looks any more', async () => {
    let level = 3;
    const end = observe({ name: 'cds.test.level', kind: 'gauge', unit: '1', what: 'For a test' }, () => [[level, { 'cds.check': 'a' }]]);
    level = 4;
    expect(await valuesOf('cds.test.level')).toEqual([{ value: 4, attributes: { 'cds.check': 'a' } }]);

    end();
    level = 5;
    expect(await valuesOf('cds.test.level')).toEqual([{ value: 4, attributes: { 'cds.check': 'a' } }]);
  });

  it('leaves out a gauge whose value does not come in time, so that the others are read', async () => {
    const gauge = (name: string) => ({ name, kind: 'gauge', unit: '1', what: 'For a test' }) as const;
    observe(gauge('cds.test.unanswered'), () => new Promise(() => undefined));
    observe(gauge('cds.test.answered'), async () => [[1]]);

    expect(await names()).toEqual(['cds.test.answered']);
  });

  it('has what the process itself needs', async () => {
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

  it('is told apart by version and instance, and OTEL_RESOURCE_ATTRIBUTES goes first', () => {
    process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'service.instance.id=pod-7,k8s.namespace.name=cds';
    try {
      expect(resourceOf('gateway').attributes).toMatchObject({
        'service.name': 'gateway',
        'service.version': expect.any(String),
        'service.instance.id': 'pod-7',
        'k8s.namespace.name': 'cds',
      });
    } finally {
      delete process.env['OTEL_RESOURCE_ATTRIBUTES'];
    }
  });
});
