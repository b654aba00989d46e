import type { ConsumerInfo, JsMsg } from '@nats-io/jetstream';

/** What is asked of the server's word on a consumer. */
type Counted = Pick<ConsumerInfo, 'num_ack_pending'> & { delivered: { consumer_seq: number } };

/**
 * Messages of a consumer that were delivered to this process and are not acked, and whether they are all that were delivered to anybody.
 * Only then may the oldest be handled: an older one that a replica has would be overtaken. The server numbers its deliveries over all
 * replicas. As long as no number is missing here, nobody else got a message; after a gap the server is asked how many are not acked.
 */
export class DeliveredMessages {
  /** By their place in the stream. */
  private readonly messages = new Map<number, JsMsg>();
  /** Of all deliveries up to this one the unacked are here. Undefined where that is not known. */
  private wholeUpTo: number | undefined;
  private isOver = false;
  private onChange = () => {};

  get size(): number {
    return this.messages.size;
  }

  get isWhole(): boolean {
    return this.wholeUpTo !== undefined;
  }

  add(message: JsMsg): void {
    this.messages.set(message.seq, message);
    if (this.wholeUpTo !== undefined) this.wholeUpTo = this.following(message.info.deliverySequence, this.wholeUpTo);
    this.onChange();
  }

  /** Compares with what the server says; answers whether all unacked messages are here. */
  compare({ num_ack_pending, delivered }: Counted): boolean {
    const [heard, later] = [[] as number[], [] as number[]];
    for (const { info } of this.messages.values())
      (info.deliverySequence <= delivered.consumer_seq ? heard : later).push(info.deliverySequence);
    if (heard.length !== num_ack_pending) return false;
    // What came while the server answered counts too, if it came to us without a gap.
    let upTo: number | undefined = delivered.consumer_seq;
    for (const next of later.sort((a, b) => a - b)) upTo = upTo === undefined ? undefined : this.following(next, upTo);
    this.wholeUpTo = upTo;
    return this.isWhole;
  }

  /** The oldest first, however they came. */
  oldest(most: number): JsMsg[] {
    return [...this.messages.values()].sort((a, b) => a.seq - b.seq).slice(0, most);
  }

  delete(message: JsMsg): void {
    this.messages.delete(message.seq);
  }

  /** Gives all away, the oldest first: they will be delivered to somebody again. */
  release(): JsMsg[] {
    const all = this.oldest(this.size);
    this.messages.clear();
    this.wholeUpTo = undefined;
    return all;
  }

  /** None come any more. */
  end(): void {
    this.isOver = true;
    this.onChange();
  }

  /** Settles when there is one, or none come any more; answers whether there is one. */
  async some(): Promise<boolean> {
    while (this.size === 0 && !this.isOver) await new Promise<void>((resolve) => (this.onChange = resolve));
    return this.size > 0;
  }

  private following(next: number, upTo: number): number | undefined {
    return next === upTo + 1 ? next : undefined;
  }
}
