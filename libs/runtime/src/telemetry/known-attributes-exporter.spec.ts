import { SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { keepKnownAttributes } from './known-attributes-exporter.ts';

it('the span exporter exports only attributes of the closed list, whichever library wrote the span', () => {
  const memory = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: keepKnownAttributes(memory) })] });

  const span = provider.getTracer('library').startSpan('query', {
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': `select 'hunter2'`, 'url.full': 'https://x/?code=hunter2' },
  });
  span.recordException(new Error('choked on hunter2'));
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'hunter2' });
  span.end();

  const [seen] = memory.getFinishedSpans();
  expect(seen!.attributes).toEqual({ 'db.system.name': 'postgresql' });
  expect(seen!.events).toEqual([]);
  expect(seen!.status).toEqual({ code: SpanStatusCode.ERROR });
});
