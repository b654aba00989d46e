import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { FairSemaphore } from '@codase/runtime/resilience';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { Home, OwnMode } from '../../foundation/regions/index.ts';
import { takeChunked, type Chunked } from './chunks.store.ts';
import { ConnectionOperations } from './connection-operations.service.ts';
import { isHeldUp, LOCK_WAIT_MS, waitAtMost } from './customer-writes.store.ts';
import { LiveSlots } from './live-slots.service.ts';
import { RequestPluginPasses } from './request-plugin-passes.service.ts';
import { READS, SUBJECTS, WHILE_PAUSED, type Operation, type OperationsTable, type ReplyOf, type RequestOf } from './region-protocol.ts';

/**
 * The most writes for other regions that hold a database connection at once: however many wait for a company, this region has connections
 * left.
 */
const WRITES_AT_ONCE = 5;
const QUEUED_OF_A_CUSTOMER = 10;

/** Performs operations on the connections of this region: a read without a transaction, a write in a transaction of its own. @gap D1-1 */
@Injectable()
export class RegionOperations {
  private readonly table: OperationsTable<EntityManager>;
  private readonly writes = new FairSemaphore({ total: WRITES_AT_ONCE, queuedEach: QUEUED_OF_A_CUSTOMER, waitMs: LOCK_WAIT_MS }, tooLate);

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly mode: OwnMode,
    connections: ConnectionOperations,
    liveSlots: LiveSlots,
    pluginPasses: RequestPluginPasses,
  ) {
    this.table = {
      card: (tx, request) => connections.card(tx, request),
      pluginPass: (tx, request) => pluginPasses.issue(tx, request),
      connect: (tx, request) => connections.connect(tx, request),
      places: (tx, request) => connections.places(tx, request),
      read: (tx, request) => connections.read(tx, request),
      change: (tx, request) => connections.change(tx, request),
      disconnect: (tx, request) => connections.disconnect(tx, request),
      slots: (tx, request) => liveSlots.slots(tx, request),
      follow: (tx, request) => liveSlots.follow(tx, request),
      forget: (tx, request) => liveSlots.forget(tx, request),
      verify: (tx, request) => liveSlots.verify(tx, request),
    };
  }

  /** Performs an operation for a customer of another region, within the time that region waits. */
  async answer<O extends Operation>(operation: O, request: RequestOf<O>, withinMs?: number): Promise<ReplyOf<O>> {
    if (WHILE_PAUSED.includes(operation)) this.mode.checkInOrder();
    else this.mode.checkWritable();
    return this.perform(operation, request, withinMs);
  }

  perform<O extends Operation>(operation: O, request: RequestOf<O>, withinMs = Infinity): Promise<ReplyOf<O>> {
    if (READS.includes(operation)) return this.table[operation](this.db.manager, request);
    return this.withinDeadline(customerOf(request), withinMs, (tx) => this.table[operation](tx, request));
  }

  /** Answers a request that came in chunks. */
  async answerChunked<O extends Operation>(operation: O, chunked: Chunked, withinMs = Infinity): Promise<ReplyOf<O>> {
    this.mode.checkWritable();
    const { message, reply } = SUBJECTS[operation];
    return this.withinDeadline(chunked.parcel_id, withinMs, async (tx) => {
      const request = message.parse(JSON.parse(await takeChunked(tx, chunked)));
      return reply!.parse(await this.table[operation](tx, request));
    });
  }

  /**
   * Runs a transaction, and rolls it back when its caller has stopped waiting: that caller takes it for failed and may do something else
   * meanwhile.
   */
  private withinDeadline<T>(owner: string, withinMs: number, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const deadline = performance.now() + withinMs;
    const transaction = () =>
      this.home.transaction(async (tx) => {
        await waitAtMost(tx, LOCK_WAIT_MS);
        const result = await work(tx);
        if (performance.now() > deadline) throw tooLate();
        return result;
      });
    return this.writes.run(owner, transaction).catch((error: unknown) => {
      throw isHeldUp(error) ? tooLate() : error;
    });
  }
}

const customerOf = (request: object): string =>
  'customer' in request ? (request as RequestOf<'connect'>).customer.user_id : (request as RequestOf<'read'>).user_id;

const tooLate = () => new Refusal('service.unavailable').because('It took longer than the asker waits: nothing was changed');
