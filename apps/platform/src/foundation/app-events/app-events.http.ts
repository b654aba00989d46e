import { Controller } from '@nestjs/common';
import { appEvents, Refusal, type AppEvent, type Caller, type Input } from '@codase/contracts';
import { EventStream, Serves } from '@codase/runtime/http';
import { eventIdOf, cursorOf } from './event-id.ts';
import { LogReader } from './log-reader.service.ts';
import { AppEventStreams } from './app-event-streams.service.ts';

type Streaming = typeof appEvents.streamAppEvents;
type Listing = typeof appEvents.listAppEvents;

/** Gives a phone its app events, as a stream or as a list. @gap D1-1 */
@Controller()
export class AppEventsHttp {
  constructor(
    private readonly streams: AppEventStreams,
    private readonly reader: LogReader,
  ) {}

  @Serves(appEvents.streamAppEvents)
  stream({ headers: { 'last-event-id': last } }: Input<Streaming>, { person_user_id }: Caller<Streaming>) {
    const cursor = last === undefined ? undefined : cursorOf(last);
    return new EventStream<AppEvent>((sink) => this.streams.open(person_user_id, sink, cursor));
  }

  @Serves(appEvents.listAppEvents)
  async list({ query: { after, limit } }: Input<Listing>, { person_user_id }: Caller<Listing>) {
    const page = await this.reader.after(person_user_id, after === undefined ? undefined : cursorOf(after), limit);
    if (!page) throw new Refusal('service.unavailable');
    return { events: page.events, last_event_id: eventIdOf(page.cursor), more: page.more };
  }
}
