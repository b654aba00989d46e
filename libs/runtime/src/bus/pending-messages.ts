import type { JsMsg } from '@nats-io/jetstream';

/** How much longer than its pause a message that was handed back counts as ours. After that, another process must have it. */
const MARGIN_MS = 5000;

/** The unacked messages that this process handles or has handed back. Times are by the system's clock, as the server's are. */
export class PendingMessages {
  /** By sequence number: when the stream got the message, and until when it counts as one of this process. */
  private readonly messages = new Map<number, { since: number; until: number }>();

  /** Counts the message as one of this process for `forMs`, or until it is done. */
  add({ seq, time }: Pick<JsMsg, 'seq' | 'time'>, forMs: number): void {
    if (forMs < Infinity) this.forget(); // only messages with such a limit run out
    this.messages.set(seq, { since: time.getTime(), until: Date.now() + forMs + MARGIN_MS });
  }

  done({ seq }: Pick<JsMsg, 'seq'>): void {
    this.messages.delete(seq);
  }

  /**
   * How long the oldest of these messages has been on the stream; 0 when there is none. When messages are handled in order, one by one, it
   * is the oldest unacknowledged message of the consumer.
   */
  get oldestMs(): number {
    this.forget();
    return Math.max(0, ...Array.from(this.messages.values(), ({ since }) => Date.now() - since));
  }

  private forget(): void {
    const now = Date.now();
    for (const [seq, { until }] of this.messages) if (until < now) this.messages.delete(seq);
  }
}
