import { Readable } from 'node:stream';
import { withTimeout } from '../resilience/with-timeout.ts';

/** An event of a stream of server-sent events, as its contract shapes it. */
export interface ServerSentEvent {
  /** The id that a client sends as Last-Event-ID when it reconnects. */
  id: string;
  event: string;
  data: unknown;
}

/** How many bytes may wait for a client to read them before the sender waits too. */
const BUFFERED_BYTES = 16 * 1024;
/** How long a client may leave them unread. */
const UNREAD_MS = 30_000;

/** The sink into which the events of one stream are written. One sender writes at a time. */
export class EventSink<T extends ServerSentEvent = ServerSentEvent> {
  /** The bytes that go to the client. */
  readonly bytes: Readable;
  private isEnding = false;
  private wasUnread = false;
  private goOn: (() => void) | undefined;

  /** `check` cuts an event to the shape of its contract. */
  constructor(
    private readonly check: (event: T) => unknown,
    private readonly unreadMs: number = UNREAD_MS,
  ) {
    this.bytes = new Readable({ highWaterMark: BUFFERED_BYTES, read: () => this.goOn?.() });
    this.bytes.on('error', () => undefined); // a client that is gone is no fault
    this.bytes.once('close', () => this.goOn?.());
  }

  get isOver(): boolean {
    return this.isEnding || this.bytes.destroyed;
  }

  /** Calls `closed` once, when the stream is over, whichever side ended it. */
  onClose(closed: () => void): void {
    if (this.bytes.destroyed) closed();
    else this.bytes.once('close', closed);
  }

  /** Writes an event, and waits while much is unread. A client that reads nothing is cut off. Returns whether it goes on. */
  send(event: T): Promise<boolean> {
    const { id, event: name, data } = this.check(event) as ServerSentEvent;
    return this.write(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Tells the client how long to wait before it reconnects. */
  suggestRetry(ms: number): Promise<boolean> {
    return this.write(`retry: ${ms}\n\n`);
  }

  /** Sends a comment at intervals, which shows that the connection stands. Who has read nothing since the last is cut off. */
  beat(): void {
    const isUnread = this.bytes.readableLength > 0 || this.isEnding;
    if (isUnread && this.wasUnread) this.cut();
    else if (!isUnread && !this.isOver) this.bytes.push(':\n\n');
    this.wasUnread = isUnread;
  }

  /** Ends the stream: the client gets what was written, and may reconnect. */
  end(): void {
    if (this.isOver) return;
    this.isEnding = true;
    this.bytes.push(null);
  }

  /** Ends the stream now, even with bytes unread. */
  cut(): void {
    this.bytes.destroy();
  }

  private async write(frame: string): Promise<boolean> {
    if (this.isOver) return false;
    if (!this.bytes.push(frame)) await this.untilRead();
    return !this.isOver;
  }

  private async untilRead(): Promise<void> {
    const read = new Promise<void>((resolve) => (this.goOn = resolve));
    await withTimeout(this.unreadMs, read, () => new Error('nobody reads')).catch(() => this.cut());
    this.goOn = undefined;
  }
}

/** A result that is a stream of events. `begin` is called with the sink once the stream is open. */
export class EventStream<T extends ServerSentEvent> {
  constructor(readonly begin: (sink: EventSink<T>) => void) {}
}
