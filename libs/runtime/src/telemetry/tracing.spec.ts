import { context, propagation, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { registerTracing } from './register-tracing.ts';
import { inSpan, SpanKind, startSpan } from './tracing.ts';

const CAME = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: TraceFlags.SAMPLED };

describe('the spans of a process', () => {
  const forget = () => [trace, context, propagation].forEach((api) => api.disable());
  beforeEach(forget);
  afterEach(forget);
  const parent = trace.setSpanContext(ROOT_CONTEXT, CAME);

  it('are not recorded without a tracer: work runs in the incoming trace, and its errors are thrown', async () => {
    const { span, within } = startSpan('work', { kind: SpanKind.CONSUMER, parent });
    expect([span.isRecording(), trace.getSpanContext(within)]).toEqual([false, CAME]);

    const failing = inSpan('work', { kind: SpanKind.CONSUMER }, async () => {
      throw new RangeError('too far');
    });
    await expect(failing).rejects.toThrow(RangeError);
  });

  it('are recorded as soon as a tracer is registered', async () => {
    await inSpan('before', { kind: SpanKind.CONSUMER, parent }, async () => undefined);
    const spans = new InMemorySpanExporter();
    registerTracing(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }));
    await inSpan('after', { kind: SpanKind.CONSUMER, parent }, async () => undefined);

    const recorded = spans.getFinishedSpans().map((span) => [span.name, span.spanContext().traceId, span.parentSpanContext?.spanId]);
    expect(recorded).toEqual([['after', CAME.traceId, CAME.spanId]]);
  });
});
