import type { AppEvent } from '@codase/contracts';

type EventOf<K extends AppEvent['event']> = Extract<AppEvent, { event: K }>;

/** An open stream of app events. */
export class Listening {
  /** All events that the stream has delivered. */
  readonly heard: AppEvent[] = [];
  /** Settles when the stream is over, with an error when it was refused or cut. */
  readonly over: Promise<void>;
  private readonly leaving = new AbortController();
  private read = 0;
  private wake: () => void = () => undefined;
  private isOver = false;

  constructor(open: (signal: AbortSignal) => AsyncIterable<AppEvent>) {
    this.over = this.listen(open(this.leaving.signal)).finally(() => {
      this.isOver = true;
      this.wake();
    });
    this.over.catch(() => undefined);
  }

  async next(): Promise<AppEvent> {
    while (this.read >= this.heard.length) {
      if (this.isOver) throw (await this.over.catch((error: unknown) => error)) ?? new Error('the stream is over');
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    return this.heard[this.read++]!;
  }

  /** Waits for the next event of one kind, and skips events of other kinds. */
  async hears<K extends AppEvent['event']>(kind: K): Promise<EventOf<K>> {
    for (;;) {
      const event = await this.next();
      if (event.event === kind) return event as EventOf<K>;
    }
  }

  /** Closes the stream, as a phone that goes away does. */
  async leaves(): Promise<void> {
    this.leaving.abort();
    await this.over.catch(() => undefined);
  }

  private async listen(events: AsyncIterable<AppEvent>): Promise<void> {
    for await (const event of events) {
      this.heard.push(event);
      this.wake();
    }
  }
}
