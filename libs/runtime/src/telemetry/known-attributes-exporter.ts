import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { onlyKnown } from './attributes.ts';

/** Exports only attributes of the closed list, whoever wrote the span; no events and status messages, which can quote data. */
export function keepKnownAttributes(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans.map(clean), done),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

function clean(span: ReadableSpan): ReadableSpan {
  const { code } = span.status;
  return Object.create(span, {
    attributes: { value: onlyKnown(span.attributes), enumerable: true },
    events: { value: [], enumerable: true },
    status: { value: { code }, enumerable: true },
  }) as ReadableSpan;
}
