import { setTimeout as pause } from 'node:timers/promises';
import { DRAIN_ANSWER, type feed, type Output } from '@codase/contracts';
import type { Backend } from '@codase/testing';
import { CuttingReader } from './cutting-reader.ts';
import { receivedEdits, type ReceivedEdit } from './judge.ts';

type Drained = Output<typeof feed.drainChanges>;

const IDLE_MS = 300;
/** A drainer with a lease forgets one answer in `FORGOTTEN`, as if it had died, and cuts one in `CUT` anywhere. */
const FORGOTTEN = 10;
const CUT = 5;
/** A plain drainer sometimes rests so that its feed grows long: before one drain in this many, for this long. */
const RESTS = { oneIn: 40, ms: 8000 } as const;
/** The size from which an answer may be cut: it does not fit into the system's buffers. A shorter one that is cut would be lost. */
const LONG_ANSWER = { bytes: 0.85 * DRAIN_ANSWER.bytes, cutWithin: 64 * 1024, oneIn: 2 } as const;

const oneIn = (many: number): boolean => Math.random() * many < 1;

/** A backend that drains its feed, plainly or by lease. It cuts some answers, and keeps the events that really reached it. */
export class Drainer {
  readonly received: ReceivedEdit[] = [];
  private readonly reader: CuttingReader;
  private lease: string | undefined;
  private isOver = false;
  private readonly running: Promise<void>;

  constructor(backend: Backend, { leased }: { leased: boolean }) {
    this.reader = new CuttingReader(backend);
    this.lease = leased ? 'new' : undefined;
    this.running = this.run();
  }

  get cuts(): number {
    return this.reader.cuts;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const more = await this.drain().catch(() => false); // the region is down or the company is moving: try again
      if (!more) await pause(IDLE_MS);
    }
  }

  private drain(): Promise<boolean> {
    return this.lease === undefined ? this.drainPlainly() : this.drainByLease(this.lease);
  }

  private async drainPlainly(): Promise<boolean> {
    if (oneIn(RESTS.oneIn)) await pause(RESTS.ms);
    const drained = await this.reader.drain({}, (bodyBytes) =>
      bodyBytes >= LONG_ANSWER.bytes && oneIn(LONG_ANSWER.oneIn) ? Math.random() * LONG_ANSWER.cutWithin : undefined,
    );
    return this.keep(drained);
  }

  /** Drains by lease. After a cut the new lease is unknown, so events that were not acknowledged are delivered again. */
  private async drainByLease(lease: string): Promise<boolean> {
    if (oneIn(CUT)) {
      this.lease = 'new';
      if (oneIn(2)) await this.reader.cutBeforeAnswer({ lease });
      else await this.reader.drain({ lease }, (bodyBytes) => Math.random() * bodyBytes);
      return true;
    }
    const drained = await this.reader.drain({ lease }, () => undefined);
    const isForgotten = oneIn(FORGOTTEN);
    this.lease = isForgotten ? 'new' : (drained?.lease ?? 'new');
    return isForgotten || this.keep(drained);
  }

  private keep(drained: Drained | undefined): boolean {
    this.received.push(...receivedEdits(drained?.events ?? []));
    return drained?.more ?? true;
  }
}
