import type { feed, FeedEvent, Output } from '@codase/contracts';
import { readEvent, spooled, unreadable, type Spooled } from '../spool/spooled-event.ts';

/** The platform's answer to a drain. Its events are not validated yet, even though they have a type. */
export type Drained = Output<typeof feed.drainChanges>;

/** Returns the rows of a drain, in its order. Unknown events are stored too, and go to the parked messages. @gap D1-4.3 */
export function storedOf({ events: received, traces = [] }: Drained, now: Date): { events: FeedEvent[]; rows: Spooled[] } {
  const traceOf = new Map(traces.map(({ id, traceparent }) => [id, traceparent]));
  const read = (received as readonly unknown[]).map((one) => ({ one, event: readEvent(one) }));
  return {
    events: read.flatMap(({ event }) => event ?? []),
    rows: read.map(({ one, event }) =>
      event ? spooled(event, { traceparent: traceOf.get(event.id) }) : unreadable(Buffer.from(JSON.stringify(one)), now),
    ),
  };
}
