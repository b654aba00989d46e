import { TraceFlags, type SpanContext } from '@opentelemetry/api';
import { nameWithUnit } from './name-with-unit.ts';

/** One measurement of a bucket, and the span that it was made in. It leads from a number on a board to the trace behind it. */
export interface Exemplar {
  value: number;
  /** Milliseconds since 1970. */
  at: number;
  trace_id: string;
  span_id: string;
}

interface Measured {
  name: string;
  unit: string;
}

/** The most exemplars that are kept, more than all services together need; a further one replaces the oldest. */
const MAX = 2_000;

/** The newest exemplar of each bucket of each series. The SDK's own reservoirs are connected to nothing. */
export class Exemplars {
  private readonly most: number;
  private readonly newest = new Map<string, Exemplar>();

  constructor(most = MAX) {
    this.most = most;
  }

  /** All exemplars of a metric, by its name in Prometheus. */
  of(name: string): Exemplar[] {
    return [...this.newest].filter(([key]) => key.startsWith(`${name}\n`)).map(([, exemplar]) => exemplar);
  }

  /** Keeps a measurement if its span is recorded: otherwise there would be no trace to look at. */
  offer({ name, unit }: Measured, boundaries: readonly number[], value: number, labels: object, span: SpanContext | undefined): void {
    if (!span || !(span.traceFlags & TraceFlags.SAMPLED)) return;
    const key = keyOf(nameWithUnit(name, unit), bucketOf(boundaries, value), labels);
    this.newest.delete(key); // so that the new entry comes last in the map
    this.newest.set(key, { value, at: Date.now(), trace_id: span.traceId, span_id: span.spanId });
    if (this.newest.size > this.most) this.newest.delete(this.newest.keys().next().value!);
  }

  /** The exemplar of the bucket with that number, by the metric's name in Prometheus. */
  find(name: string, bucket: number, labels: object): Exemplar | undefined {
    return this.newest.get(keyOf(name, bucket, labels));
  }
}

/** The number of the bucket: its upper boundary is the first that is not below the value. */
function bucketOf(boundaries: readonly number[], value: number): number {
  const index = boundaries.findIndex((boundary) => value <= boundary);
  return index < 0 ? boundaries.length : index;
}

const keyOf = (name: string, bucket: number, labels: object): string =>
  Object.entries(labels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .reduce((key, [label, value]) => `${key}\n${label}\n${value}`, `${name}\n${bucket}`);

/** The exemplars of this process. */
export const exemplars = new Exemplars();
