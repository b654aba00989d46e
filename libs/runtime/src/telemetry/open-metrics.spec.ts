import { metrics, trace, TraceFlags } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { Exemplars, exemplars } from './exemplars.ts';
import { count, measure, raise, read } from './metrics.ts';
import { openMetrics, readsOpenMetrics } from './open-metrics.ts';
import { UnitSuffixes } from './unit-suffixes.ts';

const DURATION = { name: 'codase.test.duration', kind: 'histogram', unit: 's', what: 'For a "test"\nof two lines' } as const;
const span = (spanId: string, traceFlags = TraceFlags.SAMPLED) => ({ traceId: '0af7651916cd43dd8448eb211c80319c', spanId, traceFlags });

describe('the OpenMetrics output for Prometheus', () => {
  let prometheus: UnitSuffixes;
  beforeEach(() => {
    metrics.disable();
    prometheus = new UnitSuffixes({ preventServerStart: true });
    const resource = resourceFromAttributes({ 'service.name': 'gate"way' });
    metrics.setGlobalMeterProvider(new MeterProvider({ resource, readers: [prometheus] }));
  });
  afterEach(() => metrics.disable());

  const collected = async () => (await prometheus.collect()).resourceMetrics;
  const samplesIn = (text: string) =>
    text
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => line.replace(/ # \{.*$/, ''))
      .toSorted();

  it('contains the same samples as the older text format, and an end marker', async () => {
    measure(DURATION, 0.003, { 'codase.outcome': 'ok' });
    measure(DURATION, 99, { 'codase.outcome': 'a\\b"c\nd' });
    count({ name: 'codase.test.failed', kind: 'counter', unit: '{attempt}', what: 'x' }, { 'http.response.status_code': 500 });
    raise({ name: 'codase.test.level', kind: 'level', unit: 'By', what: 'x' }, -2);
    read({ name: 'codase.test.gauge', kind: 'gauge', unit: '1', what: 'x' }, Infinity);

    const text = openMetrics(await collected(), exemplars);

    expect(samplesIn(text)).toEqual(samplesIn(new PrometheusSerializer().serialize(await collected())));
    expect(text).toContain('# TYPE codase_test_failed counter\n');
    expect(text).toMatch(/# EOF\n$/);
    expect(text).not.toContain('\n\n');
  });

  it('links a histogram bucket to the span that was measured last', async () => {
    const measureIn = (spanId: string, seconds: number, flags = TraceFlags.SAMPLED) =>
      measure(DURATION, seconds, { 'codase.outcome': 'ok' }, trace.wrapSpanContext(span(spanId, flags)));
    measureIn('aaaaaaaaaaaaaaaa', 0.3);
    measureIn('bbbbbbbbbbbbbbbb', 0.5);
    measureIn('cccccccccccccccc', 0.4, TraceFlags.NONE);

    const buckets = openMetrics(await collected(), exemplars).match(/^codase_test_duration_seconds_bucket.* # .*$/gm);

    expect(buckets?.filter((line) => line.includes('outcome="ok"'))).toEqual([
      expect.stringMatching(/le="0.5"\} 3 # \{trace_id="0af7651916cd43dd8448eb211c80319c",span_id="b{16}"\} 0\.5 \d{10}(\.\d+)?$/),
    ]);
  });

  it('is sent only to a scraper that accepts it', () => {
    const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1';
    expect(readsOpenMetrics({ headers: { accept } })).toBe(true);
    expect(readsOpenMetrics({ headers: { accept: 'text/plain' } })).toBe(false);
    expect(readsOpenMetrics({ headers: {} })).toBe(false);
  });
});

describe('exemplars', () => {
  it('come from sampled spans only, and the oldest is dropped when their number exceeds the limit', () => {
    const few = new Exemplars(2);
    for (const [bucket, spanId] of ['1', '2', '3'].entries()) few.offer(DURATION, [1, 2, 3], bucket + 1, {}, span(spanId));
    few.offer(DURATION, [1, 2, 3], 2, {}, span('4'));
    few.offer(DURATION, [1, 2, 3], 9, {}, span('5'));
    few.offer(DURATION, [1, 2, 3], 9, {}, span('6', TraceFlags.NONE));
    few.offer(DURATION, [1, 2, 3], 9, {}, undefined);

    expect(few.of('codase.test.duration_seconds').map(({ span_id }) => span_id)).toEqual(['4', '5']);
    expect(few.find('codase.test.duration_seconds', 3, {})?.span_id).toBe('5');
    expect(few.find('codase.test.duration_seconds', 1, { other: 'label' })).toBeUndefined();
  });
});
