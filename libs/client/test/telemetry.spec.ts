import { groupConsumer, Refusal } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { exemplars } from '@codase/runtime/telemetry';
import { collectTelemetry, eventually } from '@codase/testing';
import { partitionOf, QUICK, Suite } from './a-suite.ts';

const { spans, measured } = collectTelemetry();

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const EVENT_SPAN = 'b7ad6b7169203331';

describe('the telemetry of handlers', () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await Suite.open();
  });
  afterAll(() => suite?.close());

  it('has one trace from the event to the opened values, and metrics without anything of the values', async () => {
    await suite.playsDecryptor();
    const codase = await suite.connects({ clock: new ManualClock('2026-03-02T10:00:40Z') });
    let handled = 0;
    await codase.handle(
      'customers',
      suite.inbox(),
      {
        field_updated: async ({ value }, { open, attempt }) => {
          await open({ value: value! });
          if (attempt === 1) throw new RangeError('tattletale');
          handled++;
        },
      },
      QUICK,
    );
    await suite.shares('usr_ana', 'tattletale', { traceparent: `00-${TRACE}-${EVENT_SPAN}-01` });
    await eventually(async () => (handled === 1 && (await suite.unacked('customers')) === 0 ? true : undefined));
    await codase.close();

    const traced = spans.getFinishedSpans().filter((span) => span.spanContext().traceId === TRACE);
    const handling = traced.find(({ name }) => name === 'process codase.feed.v1.{service}.{event}.{partition}')!;
    expect(handling.parentSpanContext?.spanId).toBe(EVENT_SPAN);
    const opening = traced.filter(({ name }) => name === 'send codase.decryptor.v1.{service}.open_values');
    expect(opening.map((span) => span.parentSpanContext?.spanId)).toEqual([handling.spanContext().spanId, handling.spanContext().spanId]);

    const spanIds = spans.getFinishedSpans().map((span) => span.spanContext().spanId);
    for (const metric of ['codase.bus.handle.duration_seconds', 'codase.bus.answer.duration_seconds', 'codase.client.lag_seconds']) {
      const ofThisTrace = exemplars.of(metric).filter(({ trace_id }) => trace_id === TRACE);
      expect(ofThisTrace).not.toEqual([]);
      expect(spanIds).toEqual(expect.arrayContaining(ofThisTrace.map(({ span_id }) => span_id)));
    }

    const labels = { 'messaging.consumer.group.name': 'shop-backend_customers', 'codase.service': 'shop' };
    const said = await measured();
    expect(said).toEqual(
      expect.arrayContaining([
        { name: 'codase.client.handled', value: 1, attributes: labels },
        { name: 'codase.client.failed', value: 1, attributes: { ...labels, 'error.type': 'RangeError' } },
        { name: 'codase.client.opened', value: 2, attributes: { 'codase.service': 'shop' } },
        { name: 'codase.client.lag', value: expect.objectContaining({ count: 1, sum: 40 }), attributes: labels },
        {
          name: 'codase.bus.retried',
          value: 1,
          attributes: { 'messaging.consumer.group.name': groupConsumer('shop-backend', 'customers', partitionOf('usr_ana')) },
        },
      ]),
    );
    const written = traced.map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(JSON.stringify([said, written])).not.toContain('tattletale');
  });

  it('has a span for each event in its own trace when several are handled together', async () => {
    const traces = ['1', '2', '3', '4'].map((digit) => digit.repeat(32));
    for (const trace of traces) await suite.joins('usr_bo', { traceparent: `00-${trace}-${EVENT_SPAN}-01` });
    const codase = await suite.connects();
    let handled = 0;
    const connection_created = { together: (taken: readonly unknown[]) => void (handled += taken.length) };
    await codase.handle('audit', suite.inbox(), { connection_created }, { ...QUICK, batch: 50 });
    await eventually(async () => (handled === traces.length && (await suite.unacked('audit')) === 0 ? true : undefined));
    await codase.close();

    const handling = spans.getFinishedSpans().filter(({ name }) => name === 'process codase.feed.v1.{service}.{event}.{partition}');
    const ofTraces = handling.map((span) => span.spanContext().traceId).filter((trace) => traces.includes(trace));
    expect(ofTraces.toSorted()).toEqual(traces);
  });

  it('reports the age of the oldest event while it waits, and zero when none waits', async () => {
    const codase = await suite.connects();
    let isAway = true;
    await codase.handle(
      'audit',
      suite.inbox(),
      {
        connection_created: () => {
          if (isAway) throw new Refusal('service.unavailable');
        },
      },
      QUICK,
    );
    await suite.joins('usr_ana');
    const age = async () => (await measured()).find(({ name }) => name === 'codase.client.backlog.age')?.value as number | undefined;

    await eventually(async () => ((await age())! > 1 ? true : undefined));
    isAway = false;
    await eventually(async () => ((await age()) === 0 ? true : undefined));

    expect(codase.health().ready).toBe(true); // all the time: the waiting event was in hand
    await codase.close();
  });
});
