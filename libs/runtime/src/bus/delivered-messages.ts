import type { ConsumerInfo, JsMsg } from '@nats-io/jetstream';

/** The part of the server's information about a consumer that is used here. */
interface Counted extends Pick<ConsumerInfo, 'num_ack_pending'> {
  ack_floor: { stream_seq: number };
  delivered: { stream_seq: number };
}

/**
 * Messages of a consumer that were delivered to this process and are not acked. They may be handled only when they are all that the server
 * waits for: otherwise they would overtake an older one that a replica has. The server says how many it waits for, and is asked before each
 * batch, because its numbers may begin anew when it restarts or another node leads.
 */
export class DeliveredMessages {
  /** By sequence number in the stream. */
  private readonly messages = new Map<number, JsMsg>();
  /** The messages that were here at the last call of `messagesSeenBefore`. */
  private seen = new Set<JsMsg>();
  /** Whether no more messages will come. */
  isOver = false;
  /** The caller that waits until `count` messages are here. */
  private waiter: { count: number; goesOn(): void } | undefined;

  /** `ackedElsewhere` is called with each message that a replica has acked meanwhile. */
  constructor(private readonly ackedElsewhere: (message: JsMsg) => void = () => {}) {}

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

  /** Returns all that the server waits for, the oldest first; undefined when a replica has some, or some are on their way. */
  allOf({ num_ack_pending, ack_floor, delivered }: Counted): JsMsg[] | undefined {
    this.dropUpTo(ack_floor.stream_seq);
    // A message that a restarted server has forgotten to have delivered does not count: it delivers the message again, to any replica.
    const known = this.inOrder().filter(({ seq }) => seq <= delivered.stream_seq);
    return known.length > 0 && known.length === num_ack_pending ? known : undefined;
  }

  /** Drops the messages that a replica has acked meanwhile: messages are always acked from the oldest on. */
  private dropUpTo(acked: number): void {
    for (const [seq, message] of this.messages) {
      if (seq > acked) continue;
      this.messages.delete(seq);
      this.ackedElsewhere(message);
    }
  }

  /** The messages, the oldest first, in whatever order they came. */
  inOrder(): JsMsg[] {
    return [...this.messages.values()].sort((a, b) => a.seq - b.seq);
  }

  /** Returns the messages that were already here at the last call. */
  messagesSeenBefore(): JsMsg[] {
    const before = this.inOrder().filter((message) => this.seen.has(message));
    this.seen = new Set(this.messages.values());
    return before;
  }

  /** Removes and returns all messages, the oldest first: the caller hands them back, and they will be delivered again. */
  release(): JsMsg[] {
    const all = this.inOrder();
    this.messages.clear();
    return all;
  }

  /** Notes that no more messages will come. */
  end(): void {
    this.isOver = true;
    this.wakeWaiter();
  }

  /** Settles when there is a message, or no more will come; returns whether there is one. */
  async some(): Promise<boolean> {
    while (this.size === 0 && !this.isOver) await this.atLeast(1);
    return this.size > 0;
  }

  /** Settles when `count` messages are here, or no more will come. A second call replaces the first, which is never woken. */
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
