import { Inject, Injectable } from '@nestjs/common';
import { APP_STREAMS_PER_PERSON, type AppEvent } from '@codase/contracts';
import type { EventSink } from '@codase/runtime/http';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import type { Cursor } from './event-id.ts';
import { LogReader, APP_EVENTS_DB } from './log-reader.service.ts';
import { readEnds } from './log.store.ts';
import { METRICS } from './metrics.ts';

/** Events that are read at once for one stream. */
const BATCH = 20;
/** Persons whose logs are looked at in one statement. */
const PERSONS = 1000;

/** The open stream of a phone. */
interface PhoneStream {
  person_user_id: string;
  sink: EventSink<AppEvent>;
  /** The position up to which the phone has all events; undefined until it has some. */
  cursor: Cursor | undefined;
  isSending: boolean;
  /** Whether something new came while the stream was sending. */
  isWoken: boolean;
}

/**
 * The streams of the phones that are connected to this process. A stream is woken for events of its person and reads them from the log, so
 * that it makes no difference which replica stored them, or whether a wake-up got lost before: it sends what follows its cursor.
 */
@Injectable()
export class AppEventStreams {
  private readonly streams = new Map<string, Set<PhoneStream>>();

  constructor(
    @Inject(APP_EVENTS_DB) private readonly db: DataSource,
    private readonly reader: LogReader,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Opens a stream. From now on it is woken for new events. Events that were committed before are in the log, which it reads now. */
  open(person_user_id: string, sink: EventSink<AppEvent>, cursor: Cursor | undefined): void {
    const stream: PhoneStream = { person_user_id, sink, cursor, isSending: false, isWoken: false };
    const own = this.streams.get(person_user_id) ?? new Set();
    this.streams.set(person_user_id, own.add(stream));
    sink.onClose(() => this.forget(stream));
    if (own.size > APP_STREAMS_PER_PERSON) this.endOldest(own);
    this.send(stream);
  }

  /** Wakes the streams of a person, for whom something may be new. */
  wake(person_user_id: string): void {
    for (const stream of this.streams.get(person_user_id) ?? []) this.send(stream);
  }

  /** Compares all streams with the logs, in case a wake-up got lost. Ends the streams of a person who is no longer at home here. */
  async wakeLagging(): Promise<void> {
    const persons = [...this.streams.keys()];
    for (let first = 0; first < persons.length; first += PERSONS) {
      const some = persons.slice(first, first + PERSONS);
      const ends = await readEnds(this.db, some);
      for (const person of some) for (const stream of this.streams.get(person) ?? []) this.compare(stream, ends.get(person));
    }
  }

  private compare(stream: PhoneStream, end: Cursor | undefined): void {
    if (!end) return stream.sink.end();
    const { cursor } = stream;
    if (cursor?.seq !== end.seq || cursor.log_id !== end.log_id) this.send(stream);
  }

  private endOldest(streams: ReadonlySet<PhoneStream>): void {
    const oldest = [...streams].find(({ sink }) => !sink.isOver);
    oldest?.sink.end();
    count(METRICS.appStreamsReplaced);
  }

  private forget(stream: PhoneStream): void {
    const own = this.streams.get(stream.person_user_id);
    if (own?.delete(stream) && own.size === 0) this.streams.delete(stream.person_user_id);
  }

  private send(stream: PhoneStream): void {
    stream.isWoken = true;
    if (stream.isSending) return;
    stream.isSending = true;
    this.sendAll(stream)
      .catch((error: unknown) => this.fail(stream, error))
      .finally(() => (stream.isSending = false));
  }

  /** Ends a stream whose events cannot be read now. They are sent when the phone connects again. */
  private fail({ sink }: PhoneStream, error: unknown): void {
    this.log.warn('a stream of a phone is ended: its events could not be read', { error });
    sink.end();
  }

  private async sendAll(stream: PhoneStream): Promise<void> {
    while (stream.isWoken && !stream.sink.isOver) {
      stream.isWoken = false;
      const page = await this.reader.after(stream.person_user_id, stream.cursor, BATCH);
      if (!page) return stream.sink.end();
      for (const event of page.events) if (!(await stream.sink.send(event))) return;
      stream.cursor = page.cursor;
      stream.isWoken ||= page.more;
    }
  }
}
