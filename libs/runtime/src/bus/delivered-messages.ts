import type { ConsumerInfo, JsMsg } from '@nats-io/jetstream';

/** What is asked of the server's word on a consumer. */
interface Counted extends Pick<ConsumerInfo, 'num_ack_pending'> {
  ack_floor: { stream_seq: number };
  delivered: { stream_seq: number };
}

/**
 * Messages of a consumer that were delivered to this process and are not acked. They may be handled only where they are all that the server
 * waits for: an older one that a replica has would be overtaken. The server says how many it waits for, and is asked before each batch:
 * what it numbers may begin anew when it restarts or another node leads.
 */
export class DeliveredMessages {
  /** By their place in the stream. */
  private readonly messages = new Map<number, JsMsg>();
  /** Those that were here when it was last asked who stays. */
  private seen = new Set<JsMsg>();
  /** No more will come. */
  isOver = false;
  /** Who waits until so many are here. */
  private waiter: { count: number; goesOn(): void } | undefined;

  get size(): number {
    return this.messages.size;
  }

  add(message: JsMsg): void {
    this.messages.set(message.seq, message);
    this.wakeWaiter();
  }

  delete(message: JsMsg): void {
    this.messages.delete(message.seq);
  }

  /** All that the server waits for, the oldest first; undefined where somebody else has some of it, or it is still on its way. */
  allOf({ num_ack_pending, ack_floor, delivered }: Counted): JsMsg[] | undefined {
    // A replica has acked them meanwhile, as those that are acked are always the oldest.
    for (const seq of this.messages.keys()) if (seq <= ack_floor.stream_seq) this.messages.delete(seq);
    // What a restarted server has forgotten to have delivered does not count: it delivers it again, to whomever.
    const known = this.inOrder().filter(({ seq }) => seq <= delivered.stream_seq);
    return known.length > 0 && known.length === num_ack_pending ? known : undefined;
  }

  /** The oldest first, however they came. */
  inOrder(): JsMsg[] {
    return [...this.messages.values()].sort((a, b) => a.seq - b.seq);
  }

  /** Those that were here already when this was last asked. */
  heldSinceAsked(): JsMsg[] {
    const held = this.inOrder().filter((message) => this.seen.has(message));
    this.seen = new Set(this.messages.values());
    return held;
  }

  /** Gives all away, the oldest first: they will be delivered to somebody again. */
  release(): JsMsg[] {
    const all = this.inOrder();
    this.messages.clear();
    return all;
  }

  /** None come any more. */
  end(): void {
    this.isOver = true;
    this.wakeWaiter();
  }

  /** Settles when there is one, or none come any more; answers whether there is one. */
  async some(): Promise<boolean> {
    while (this.size === 0 && !this.isOver) await this.atLeast(1);
    return this.size > 0;
  }

  /** Settles when so many are here, or none come any more. One waits at a time: of two, the earlier waits no more and is not woken. */
  atLeast(count: number): Promise<void> {
    return new Promise((goesOn) => {
      this.waiter = { count, goesOn };
      this.wakeWaiter();
    });
  }

  private wakeWaiter(): void {
    if (!this.waiter || (this.size < this.waiter.count && !this.isOver)) return;
    this.waiter.goesOn();
    this.waiter = undefined;
  }
}
