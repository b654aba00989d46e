import type { SeenSpan } from '@cds/servers/trace-receiver';
import { median } from '../harness/statistics.ts';

/** What most events went through: when it began after the commit, and how long it took. */
export interface Stage {
  stage: string;
  begins_ms: number;
  takes_ms: number;
}

/** Part of the traces that must have a span, so that it counts as a stage of all. */
const MOST = 0.8;

/** The stages of events, by the spans of their traces and the time of their commits, in the order in which they begin. */
export function stagesOf(spans: readonly SeenSpan[], committed: ReadonlyMap<string, number>): Stage[] {
  const seen = new Map<string, { begins: number[]; takes: number[] }>();
  for (const [trace, at] of committed) {
    for (const [stage, span] of firstOfEach(spans.filter(({ trace_id }) => trace_id === trace))) {
      const { begins, takes } = seen.get(stage) ?? seen.set(stage, { begins: [], takes: [] }).get(stage)!;
      begins.push(span.start_ms - at);
      takes.push(span.end_ms - span.start_ms);
    }
  }
  return [...seen]
    .filter(([, { begins }]) => begins.length >= MOST * committed.size)
    .map(([stage, { begins, takes }]) => ({ stage, begins_ms: median(begins), takes_ms: median(takes) }))
    .toSorted((a, b) => a.begins_ms - b.begins_ms);
}

function firstOfEach(spans: readonly SeenSpan[]): Map<string, SeenSpan> {
  const first = new Map<string, SeenSpan>();
  for (const span of spans.toSorted((a, b) => a.start_ms - b.start_ms)) {
    const stage = `${span.service}: ${span.name}`;
    if (!first.has(stage)) first.set(stage, span);
  }
  return first;
}
