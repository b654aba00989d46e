import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { onlyKnown } from './attributes.ts';

/**
 * Exports only attributes that are on the closed list, whichever library wrote the span. Events and status messages can quote data, so none
 * are exported.
 */
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
