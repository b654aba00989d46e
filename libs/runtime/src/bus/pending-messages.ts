import type { JsMsg } from '@nats-io/jetstream';

/** After this much longer, a message that was handed back must be with another process. */
const MARGIN_MS = 5000;

/**
 * Messages of a consumer that are being handled or were handed back, and are not acknowledged. By the system's clock, as the server's times
 * are.
 */
export class PendingMessages {
  /** By sequence number: when the stream got them, and until when they count as ours. */
  private readonly messages = new Map<number, { since: number; until: number }>();

  /** Ours for so long, or until it is done. */
  add({ seq, time }: Pick<JsMsg, 'seq' | 'time'>, forMs: number): void {
    if (forMs < Infinity) this.forget(); // others do not run out
    this.messages.set(seq, { since: time.getTime(), until: Date.now() + forMs + MARGIN_MS });
  }

  done({ seq }: Pick<JsMsg, 'seq'>): void {
    this.messages.delete(seq);
  }

  /** How long the oldest has been on the stream. Handled in order, one by one, it is the oldest there is for the consumer. */
  get oldestMs(): number {
    this.forget();
    return Math.max(0, ...Array.from(this.messages.values(), ({ since }) => Date.now() - since));
  }

  private forget(): void {
    const now = Date.now();
    for (const [seq, { until }] of this.messages) if (until < now) this.messages.delete(seq);
  }
}
