import { Refusal } from '@cds/contracts';

/** Of one channel one drain is under way, and the next may already wait for it. */
const OF_A_CHANNEL = 2;

/** Places for drains: each holds a connection until its answer has left, so that one slow reader must not take them all. */
export class Places {
  private readonly taken = new Map<string, number>();
  private total = 0;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  /** Takes a place, or refuses; what it answers gives the place back. */
  take(channel: string): () => void {
    const ofChannel = this.taken.get(channel) ?? 0;
    if (ofChannel >= OF_A_CHANNEL || this.total >= this.most) throw tooMany();
    this.change(channel, 1);
    return () => this.change(channel, -1);
  }

  private change(channel: string, by: 1 | -1): void {
    const left = (this.taken.get(channel) ?? 0) + by;
    if (left > 0) this.taken.set(channel, left);
    else this.taken.delete(channel);
    this.total += by;
  }
}

/** Come again when the others are through. @gap D1-4.3 */
export const tooMany = (): Refusal => new Refusal('rate_limit.exceeded').because('This feed is being drained: drain it one call at a time').after(1);
