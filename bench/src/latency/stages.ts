import type { SeenSpan } from '@codase/stack/trace-receiver';
import { median, quantile } from '../harness/statistics.ts';

/** Something that happened to an event at some time: a span of its trace, or a mark from another source. */
export type Seen = Pick<SeenSpan, 'trace_id' | 'service' | 'name' | 'start_ms' | 'end_ms'>;

/** An event whose stages are wanted: when it was committed by the clock of the spans, and how long it took until it was handled. */
export interface Traced {
  trace_id: string;
  committed_at_ms: number;
  took_ms: number;
}

/** A stage of most events: when it began after the commit and how long it took, as medians of all events and of the slowest ones. */
interface Stage {
  stage: string;
  begins_ms: number;
  takes_ms: number;
  late_begins_ms: number;
  late_takes_ms: number;
}

/** The share of the traces that must have a span for it to count as a stage. */
const MAX = 0.8;
const LATE = 0.98;

interface Found {
  begins: number;
  takes: number;
  isLate: boolean;
}

/** Returns the stages of events in their order, the last being that it was handled. Medians are of events that have all stages. */
export function stagesOf(seen: readonly Seen[], events: readonly Traced[]): Stage[] {
  const byTrace = new Map<string, Seen[]>(events.map(({ trace_id }) => [trace_id, []]));
  for (const one of seen) byTrace.get(one.trace_id)?.push(one);
  const spansOf = ({ trace_id }: Traced) => firstOfEach(byTrace.get(trace_id)!);
  const all = events.map((event) => ({ event, spans: spansOf(event) }));
  const stages = sharedStages(all.map(({ spans }) => spans));
  const whole = all.filter(({ spans }) => stages.every((stage) => spans.has(stage)));
  if (whole.length === 0) return [];
  const lateFrom = quantile(
    whole.map(({ event }) => event.took_ms),
    LATE,
  );
  const foundOf = (stage: string): Found[] =>
    whole.map(({ event: { committed_at_ms, took_ms }, spans }) => {
      const { start_ms, end_ms } = spans.get(stage)!;
      return { begins: start_ms - committed_at_ms, takes: end_ms - start_ms, isLate: took_ms >= lateFrom };
    });
  const handled = whole.map(({ event: { took_ms } }) => ({ begins: took_ms, takes: 0, isLate: took_ms >= lateFrom }));
  return [...stages.map((stage) => stageOf(stage, foundOf(stage))), stageOf('handled', handled)].toSorted(
    (a, b) => a.begins_ms - b.begins_ms,
  );
}

function sharedStages(all: readonly ReadonlyMap<string, Seen>[]): string[] {
  const counts = new Map<string, number>();
  for (const spans of all) for (const stage of spans.keys()) counts.set(stage, (counts.get(stage) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= MAX * all.length).map(([stage]) => stage);
}

function stageOf(stage: string, found: readonly Found[]): Stage {
  const late = found.filter(({ isLate }) => isLate);
  const of = (some: readonly Found[], member: 'begins' | 'takes') => median(some.map((one) => one[member]));
  return {
    stage,
    begins_ms: of(found, 'begins'),
    takes_ms: of(found, 'takes'),
    late_begins_ms: of(late, 'begins'),
    late_takes_ms: of(late, 'takes'),
  };
}

function firstOfEach(spans: readonly Seen[]): Map<string, Seen> {
  const first = new Map<string, Seen>();
  for (const span of spans.toSorted((a, b) => a.start_ms - b.start_ms)) {
    const stage = `${span.service}: ${span.name}`;
    if (!first.has(stage)) first.set(stage, span);
  }
  return first;
}
