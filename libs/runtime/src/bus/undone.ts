import type { JsMsg } from '@nats-io/jetstream';

/** Past this an event that was handed back must be with another. */
const MARGIN_MS = 5000;

/** Events of a consumer that are in hand or were handed back, and not done. By the system's clock, as the server has no other. */
export class Undone {
  /** By their place in the stream: since when they are there, and how long we count them ours. */
  private readonly events = new Map<number, { since: number; until: number }>();

  /** Ours for so long, or until it is done. */
  add({ seq, time }: Pick<JsMsg, 'seq' | 'time'>, forMs: number): void {
    this.forget();
    this.events.set(seq, { since: time.getTime(), until: Date.now() + forMs + MARGIN_MS });
  }

  done({ seq }: Pick<JsMsg, 'seq'>): void {
    this.events.delete(seq);
  }

  /** How long the oldest has been on the stream: in order, one by one, that is the oldest there is for the consumer. */
  get oldestMs(): number {
    this.forget();
    return Math.max(0, ...Array.from(this.events.values(), ({ since }) => Date.now() - since));
  }

  private forget(): void {
    const now = Date.now();
    for (const [seq, { until }] of this.events) if (until < now) this.events.delete(seq);
  }
}
