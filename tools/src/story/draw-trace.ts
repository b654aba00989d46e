import type { SeenSpan } from '@codase/stack/trace-receiver';

/** A trace as an indented tree: service, what it did, and how long it took. */
export function drawTrace(spans: readonly SeenSpan[]): string {
  const known = new Set(spans.map(({ span_id }) => span_id));
  const below = (parent: string | undefined) =>
    spans.filter(({ parent_id }) => (parent === undefined ? !parent_id || !known.has(parent_id) : parent_id === parent));
  const lines = (parent: string | undefined, depth: number): string[] =>
    below(parent)
      .toSorted((a, b) => a.start_ms - b.start_ms)
      .flatMap((span) => [line(span, depth), ...lines(span.span_id, depth + 1)]);
  return lines(undefined, 0).join('\n');
}

const line = ({ service, name, kind, start_ms, end_ms, failed }: SeenSpan, depth: number) =>
  `${'  '.repeat(depth)}${service}  ${name} (${kind}) ${(end_ms - start_ms).toFixed(1)} ms${failed ? '  FAILED' : ''}`;
