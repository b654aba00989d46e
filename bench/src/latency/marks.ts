import { FEED } from '@codase/contracts';
import { many, sql } from '@codase/runtime/db';
import type { SeenSpan } from '@codase/stack/trace-receiver';
import type { BenchStack } from '../harness/bench-stack.ts';
import { openBenchDatabase } from '../harness/database.ts';
import type { Seen } from './stages.ts';

const AT_ONCE = 50;

/** Returns what spans do not say: the drain that delivered an event, and when the feed consumer and the stream stored it. */
export async function marksOf(stack: BenchStack, spans: readonly SeenSpan[], drained: string): Promise<Seen[]> {
  const received = await receivedAt(stack.settings.databases.feed_consumer.owner);
  return [
    ...drainsOf(
      spans,
      received.filter(({ service }) => service === drained),
    ),
    ...received.map(mark('feed-consumer', 'has it')),
    ...(await storedAt(stack)).map(mark('FEED', 'holds it')),
  ];
}

interface At {
  trace_id: string;
  at_ms: number;
  service?: string;
}

const mark =
  (service: string, name: string) =>
  ({ trace_id, at_ms }: At): Seen => ({ trace_id, service, name, start_ms: at_ms, end_ms: at_ms });

/** Finds the drain of each event, since a drain has its own trace: it is the last drain that was answered before the event was stored. */
function drainsOf(spans: readonly SeenSpan[], received: readonly At[]): Seen[] {
  const drains = spans
    .filter(({ service, name }) => service === 'feed-consumer' && name.includes('drain_changes'))
    .toSorted((a, b) => b.end_ms - a.end_ms);
  return received.flatMap(({ trace_id, at_ms }) => {
    const drain = drains.find(({ end_ms }) => end_ms <= at_ms + 1);
    return drain ? [{ ...drain, trace_id, name: 'drain' }] : [];
  });
}

async function receivedAt(url: string): Promise<At[]> {
  const db = await openBenchDatabase(url);
  const rows = await many<{ service: string; traceparent: string; at_ms: number }>(
    db,
    sql`select service, traceparent, (extract(epoch from received_at) * 1000)::float8 as at_ms from event where traceparent is not null`,
  );
  await db.destroy();
  return rows.map(({ service, traceparent, at_ms }) => ({ service, trace_id: traceOf(traceparent), at_ms }));
}

async function storedAt(stack: BenchStack): Promise<At[]> {
  const bus = await stack.bus('suite-operator');
  const { streams } = await bus.manager();
  const { first_seq, last_seq } = (await streams.info(FEED.stream!)).state;
  const all: At[] = [];
  let next = first_seq;
  const read = async () => {
    while (next <= last_seq) {
      const message = await streams.getMessage(FEED.stream!, { seq: next++ });
      if (message) all.push({ trace_id: traceOf(message.header.get('traceparent')), at_ms: message.time.getTime() });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, read));
  await bus.close();
  return all;
}

const traceOf = (traceparent: string): string => traceparent.split('-')[1] ?? '';
