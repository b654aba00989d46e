import type { SeenSpan } from '@codase/stack/trace-receiver';

/** A trace in one line: what began it, which services took part, how long it took. */
export interface TraceSummary {
  trace_id: string;
  began: string;
  at_ms: number;
  took_ms: number;
  services: readonly string[];
  failed: boolean;
}

/** Where something begins and how long it is, in shares of the whole trace. */
export interface Stretch {
  start: number;
  width: number;
}

/** A span as a bar, with its depth in the tree. Database statements that succeeded are ticks below the bar, not bars of their own. */
export interface Bar extends Stretch {
  span: SeenSpan;
  depth: number;
  statements: readonly Stretch[];
}

export function tracesOfEvents(spans: readonly SeenSpan[], most: number): TraceSummary[] {
  const byTrace = new Map<string, SeenSpan[]>();
  for (const span of spans) {
    const members = byTrace.get(span.trace_id);
    if (members) members.push(span);
    else byTrace.set(span.trace_id, [span]);
  }
  return [...byTrace.values()]
    .filter((members) => members.some(({ kind }) => kind === 'consumer'))
    .map(summaryOf)
    .sort((a, b) => b.at_ms - a.at_ms)
    .slice(0, most);
}

function summaryOf(spans: readonly SeenSpan[]): TraceSummary {
  const first = spans.reduce((a, b) => (b.start_ms < a.start_ms ? b : a));
  return {
    trace_id: first.trace_id,
    began: first.name,
    at_ms: first.start_ms,
    took_ms: endOf(spans) - first.start_ms,
    services: [...new Set(spans.map(({ service }) => service))],
    failed: spans.some(({ failed }) => failed),
  };
}

/** Returns the spans of a trace as a tree, each below its parent, in the order in which they began. */
export function barsOf(spans: readonly SeenSpan[]): Bar[] {
  const known = new Set(spans.map(({ span_id }) => span_id));
  const from = Math.min(...spans.map(({ start_ms }) => start_ms));
  const whole = Math.max(endOf(spans) - from, 0.001);
  const stretch = ({ start_ms, end_ms }: SeenSpan): Stretch => ({ start: (start_ms - from) / whole, width: (end_ms - start_ms) / whole });
  const below = (parent: string | undefined) =>
    spans
      .filter(({ parent_id }) => (parent_id && known.has(parent_id) ? parent_id : undefined) === parent)
      .toSorted((a, b) => a.start_ms - b.start_ms);
  const bars = (parent: string | undefined, depth: number): Bar[] =>
    below(parent)
      .filter((span) => !isStatement(span) || parent === undefined)
      .flatMap((span) => [
        { span, depth, ...stretch(span), statements: below(span.span_id).filter(isStatement).map(stretch) },
        ...bars(span.span_id, depth + 1),
      ]);
  return bars(undefined, 0);
}

const isStatement = ({ name, failed }: SeenSpan) => name.startsWith('pg.') && !failed;

const endOf = (spans: readonly SeenSpan[]) => Math.max(...spans.map(({ end_ms }) => end_ms));
