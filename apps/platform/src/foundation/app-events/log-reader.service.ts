import { Inject, Injectable } from '@nestjs/common';
import type { AppEvent, AppEventData, AppEventKind } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { Batcher, withTimeout } from '@codase/runtime/resilience';
import { count, inSpan, LOG, measure, SpanKind, traceOf, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { eventIdOf, isIn, type Cursor } from './event-id.ts';
import { readLogs, type LogPart, type LogRequest, type LoggedEvent } from './log.store.ts';
import { METRICS } from './metrics.ts';
import { APP_EVENT_PRESENTERS, type AppEventPresenter } from './presenters.hook.ts';

/** Connections of this capability: one listens, the others read events for the streams. */
export const APP_EVENTS_DB = Symbol('connections of app events');

/** How many requests one statement reads, and how many statements run at once. */
const BATCH = { most: 100, concurrency: 2 };
/** How long presenting one event may take. After that the phone reads its lists instead. */
const PRESENT_MS = 2000;

/** The events that follow a cursor in the log of a person, as phones get them. */
interface Page {
  events: AppEvent[];
  /** The position after which the next page begins. */
  cursor: Cursor;
  more: boolean;
}

/** Reads the logs of persons, and presents their events as phones get them. */
@Injectable()
export class LogReader {
  private readonly logs: Batcher<LogRequest, LogPart | undefined>;
  /** The events that are being presented, by their ids. The streams of one person share the result. */
  private readonly presenting = new Map<string, Promise<object | null>>();

  constructor(
    @Inject(APP_EVENTS_DB) db: DataSource,
    @Inject(APP_EVENT_PRESENTERS) private readonly presenters: readonly AppEventPresenter[],
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.logs = new Batcher((requests) => readLogs(db, requests), BATCH);
  }

  /**
   * Returns the next events after a cursor. Without a cursor, or when it is not known any more what followed it, the page has one event:
   * `reset`, at the end of the log. Undefined when the person is not at home here.
   */
  async after(person_user_id: string, cursor: Cursor | undefined, limit: number): Promise<Page | undefined> {
    const part = await this.logs.add({ person_user_id, after: cursor?.seq ?? 0, limit: cursor ? limit : 0 });
    if (!part) return undefined;
    const { end, events } = part;
    if (!cursor || !isIn(end, cursor) || !isWithoutGap(cursor, part)) return { events: [resetAt(end)], cursor: end, more: false };
    const last = events.at(-1);
    const reached = last ? { log_id: end.log_id, seq: last.seq } : { ...cursor, log_id: end.log_id };
    const presented = await Promise.all(events.map((event) => this.present(person_user_id, end.log_id!, event)));
    return { events: presented.filter((event) => event !== null), cursor: reached, more: reached.seq < end.seq };
  }

  /**
   * Presents an event; null when there is nothing to say any more. An event that cannot be presented now becomes `reset`: the phone finds
   * its content in the lists, once they can be read.
   */
  private async present(person_user_id: string, log_id: string, event: LoggedEvent): Promise<AppEvent | null> {
    const at = { log_id, seq: event.seq };
    try {
      const data = await this.dataOf(person_user_id, event);
      if (data === null) return null;
      measure(METRICS.appEventLag, (this.clock.now().getTime() - event.created_at.getTime()) / 1000);
      count(METRICS.appEventsPresented);
      return { id: eventIdOf(at), event: event.kind, data } as AppEvent;
    } catch (error) {
      count(METRICS.appEventsUnpresented);
      this.log.warn('an event for phones could not be presented: they read their lists instead', { error });
      return resetAt(at);
    }
  }

  private dataOf(person_user_id: string, event: LoggedEvent): Promise<object | null> {
    const known = this.presenting.get(event.event_id);
    if (known) return known;
    const parent = traceOf({
      get: (name) => (name === 'traceparent' ? (event.traceparent ?? undefined) : undefined),
      set: () => undefined,
    });
    const presenting = inSpan(`present ${event.kind}`, { kind: SpanKind.INTERNAL, parent }, () =>
      withTimeout(PRESENT_MS, this.ask(event.kind, person_user_id, event), () => new Error('an event was not presented in time')),
    ).finally(() => this.presenting.delete(event.event_id));
    this.presenting.set(event.event_id, presenting);
    return presenting;
  }

  /**
   * Asks the presenter of the kind. Returns null for a kind that has no presenter here, perhaps one of a newer version: the event is left
   * out.
   */
  private async ask<K extends AppEventKind>(kind: K, person_user_id: string, event: LoggedEvent): Promise<AppEventData<K> | null> {
    const { company_user_id, object_id } = event;
    for (const { presents } of this.presenters) {
      const present = presents[kind] as NonNullable<AppEventPresenter['presents'][K]> | undefined;
      if (present) return present({ kind, person_user_id, company_user_id, object_id });
    }
    return null;
  }
}

const resetAt = (cursor: Cursor): AppEvent => ({ id: eventIdOf(cursor), event: 'reset', data: {} });

/** Whether no event right after the cursor was deleted: numbers have no gaps, so a missing number is a deleted event. */
const isWithoutGap = ({ seq }: Cursor, { end, events }: LogPart): boolean =>
  events.length > 0 ? events[0]!.seq === seq + 1 : end.seq === seq;
