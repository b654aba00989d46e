import { Inject, Injectable } from '@nestjs/common';
import { BODY_BYTES, Refusal } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import type { DataSource, EntityManager } from 'typeorm';
import { HERE, Home, Modes, type Here } from '../regions/index.ts';
import { REGION_DB } from '../databases.ts';
import { listCompaniesElsewhere } from './customer-companies.store.ts';
import { LiveSlots } from './live-slots.service.ts';
import { isHeldUp, LOCK_WAIT_MS, waitAtMost } from './lock-wait.store.ts';
import { ChunkedTransfer } from './chunked-transfer.service.ts';
import { takeChunked, type Chunked } from './chunks.store.ts';
import { ConnectionOperations } from './connection-operations.service.ts';
import { READS, SUBJECTS, type ReplyOf, type RequestOf, type Operation, type RegionOperations } from './region-protocol.ts';

/** What a message may weigh, with room for what is around it. */
const MESSAGE_BYTES = BODY_BYTES - 16 * 1024;

/** Says that a connection may be elsewhere, or cannot be reached now: another region may know it. */
const MAYBE_ELSEWHERE = [
  'company_data.connection_not_found',
  'region.rebase_required',
  'db.writes_paused',
  'service.unavailable',
  'platform.out_of_order',
];

/**
 * Connections live in their company's region and nowhere else. This region answers for those here, and asks the others for theirs: its
 * own customers never learn which it was. @gap D1-1
 */
@Injectable()
export class RegionRouter {
  private readonly operations: RegionOperations<EntityManager>;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly bus: Bus,
    private readonly home: Home,
    @Inject(HERE) private readonly here: Here,
    private readonly modes: Modes,
    private readonly chunked: ChunkedTransfer,
    connections: ConnectionOperations,
    liveSlots: LiveSlots,
  ) {
    this.operations = {
      card: (tx, request) => connections.card(tx, request),
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

  /**
   * The regions that may have connections of a customer, which are those of its companies: whose companies all live here depends on no
   * other region. The others come first, since what is done here is undone if one of them refuses.
   */
  async of(user_id: string, db: EntityManager): Promise<string[]> {
    const regions = await this.home.regionsOf(await listCompaniesElsewhere(db, user_id));
    return [...regions.filter((region) => region !== this.region), this.region];
  }

  /** Asks one region; at home in the transaction that is under way. */
  async ask<O extends Operation>(region: string, operation: O, request: RequestOf<O>, tx: EntityManager): Promise<ReplyOf<O>> {
    if (region === this.region) return this.operations[operation](tx, request);
    const isLong = Buffer.byteLength(JSON.stringify(request)) > MESSAGE_BYTES;
    return isLong ? this.chunked.send(region, operation, request) : this.bus.request(SUBJECTS[operation], { region }, request);
  }

  /** Asks the region that has the connection: mostly this one, and then nobody else is needed for it. @gap D1-1 */
  async askHolder<O extends 'read' | 'change' | 'disconnect'>(operation: O, request: RequestOf<O>, tx: EntityManager): Promise<ReplyOf<O>> {
    let refusal = new Refusal('company_data.connection_not_found') as Refusal;
    for await (const region of this.maybeHolders(request.user_id, tx)) {
      try {
        return await this.ask(region, operation, request, tx);
      } catch (error) {
        if (!isMaybeElsewhere(error)) throw error;
        if (error.key !== 'company_data.connection_not_found') refusal = error;
      }
    }
    throw refusal;
  }

  /** The others are looked up when this one has not answered. */
  private async *maybeHolders(user_id: string, tx: EntityManager): AsyncGenerator<string> {
    yield this.region;
    for (const region of await this.of(user_id, tx)) if (region !== this.region) yield region;
  }

  private get region(): string {
    if (this.here.base !== 'region') throw new Error('connections live in regions');
    return this.here.region;
  }

  /** A transaction that is taken back when its asker has given up: whoever was told that it failed may do something else meanwhile. */
  private withinDeadline<T>(withinMs: number, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const deadline = performance.now() + withinMs;
    return this.db
      .transaction(async (tx) => {
        await waitAtMost(tx, LOCK_WAIT_MS);
        const result = await work(tx);
        if (performance.now() > deadline) throw tooLate();
        return result;
      })
      .catch((error: unknown) => {
        throw isHeldUp(error) ? tooLate() : error;
      });
  }

  /** Performs an operation for a customer of another region, within the time that region waits. */
  async perform<O extends Operation>(operation: O, request: RequestOf<O>, withinMs = Infinity): Promise<ReplyOf<O>> {
    if (READS.includes(operation)) this.modes.checkInOrder(this.region);
    else this.modes.checkWritable(this.region);
    return this.withinDeadline(withinMs, (tx) => this.operations[operation](tx, request));
  }

  /** The same for a request that came in chunks. */
  async performChunked(operation: Operation, parcel: Chunked, withinMs = Infinity): Promise<unknown> {
    this.modes.checkWritable(this.region);
    return this.withinDeadline(withinMs, (tx) => this.receiveChunked(tx, operation, parcel));
  }

  private async receiveChunked<O extends Operation>(tx: EntityManager, operation: O, parcel: Chunked): Promise<ReplyOf<O>> {
    const { message, reply } = SUBJECTS[operation];
    const request = message.parse(JSON.parse(await takeChunked(tx, parcel)));
    return reply!.parse(await this.operations[operation](tx, request));
  }
}

export const isMaybeElsewhere = (error: unknown): error is Refusal => error instanceof Refusal && MAYBE_ELSEWHERE.includes(error.key);

const tooLate = () => new Refusal('service.unavailable').because('It took longer than the asker waits: nothing was changed');

/** The customer is at the right base; it is the company that moves, which takes a moment. */
export const movedMeanwhile = (error: unknown, instead: 'db.writes_paused' | 'service.unavailable'): unknown =>
  error instanceof Refusal && error.key === 'region.rebase_required' ? new Refusal(instead) : error;
