import { setTimeout as pause } from 'node:timers/promises';
import { feed } from '@cds/contracts';
import type { Backend } from '@cds/testing';
import { receivedEdits, type ReceivedEdit } from './judge.ts';

const IDLE_MS = 50;
/** One answer in so many is forgotten by a drainer that has a lease, as if it had died with it. */
const FORGOTTEN = 10;

/** A backend that drains its feed without end, plainly or by acknowledged lease, and keeps what really reached it. */
export class Drainer {
  readonly received: ReceivedEdit[] = [];
  private lease: string | undefined;
  private isOver = false;
  private readonly running: Promise<void>;

  constructor(
    private readonly backend: Backend,
    { leased }: { leased: boolean },
  ) {
    this.lease = leased ? 'new' : undefined;
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const more = await this.drain().catch(() => false); // a region that is down: ask again
      if (!more) await pause(IDLE_MS);
    }
  }

  private async drain(): Promise<boolean> {
    const query = this.lease === undefined ? {} : { lease: this.lease };
    const { events, more, lease } = await this.backend.asks(feed.drainChanges, { query });
    if (lease !== undefined && Math.random() * FORGOTTEN < 1) {
      this.lease = 'new';
      return true;
    }
    this.lease = lease;
    this.received.push(...receivedEdits(events));
    return more;
  }
}
