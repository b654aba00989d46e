import { Inject, Injectable } from '@nestjs/common';
import { CONNECTION_SUBJECTS, Refusal, userSpokenFor, type PeerSubject } from '@codase/contracts';
import { FairSemaphore } from '@codase/runtime/resilience';
import type { DataSource, EntityManager } from 'typeorm';
import type { Handlers } from '../../foundation/peers/index.ts';
import { Home } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { ConnectionOperations } from './connection-operations.service.ts';
import { isLockFailure, LOCK_WAIT_MS, waitAtMost } from './customer-writes.store.ts';
import { LiveSlots } from './live-slots.service.ts';
import type { Operation, OperationsTable, ReplyOf, RequestOf } from './region-protocol.ts';
import { RequestPluginPasses } from './request-plugin-passes.service.ts';

/** The most writes for other regions at once: however many wait for a company, this region has database connections left. */
const WRITES_AT_ONCE = 5;
const QUEUED_OF_A_CUSTOMER = 10;

/** Performs operations on the connections of this region: a read without a transaction, a write in a transaction of its own. @gap D1-1 */
@Injectable()
export class RegionOperations implements Handlers<typeof CONNECTION_SUBJECTS> {
  private readonly writes = new FairSemaphore({ total: WRITES_AT_ONCE, queuedEach: QUEUED_OF_A_CUSTOMER, waitMs: LOCK_WAIT_MS }, tooLate);
  readonly card = this.performs('card', (tx, request) => this.connections.card(tx, request));
  readonly pluginPass = this.performs('pluginPass', (tx, request) => this.pluginPasses.issue(tx, request));
  readonly connect = this.performs('connect', (tx, request) => this.connections.connect(tx, request));
  readonly places = this.performs('places', (tx, request) => this.connections.places(tx, request));
  readonly read = this.performs('read', (tx, request) => this.connections.read(tx, request));
  readonly change = this.performs('change', (tx, request) => this.connections.change(tx, request));
  readonly disconnect = this.performs('disconnect', (tx, request) => this.connections.disconnect(tx, request));
  readonly slots = this.performs('slots', (tx, request) => this.liveSlots.slots(tx, request));
  readonly follow = this.performs('follow', (tx, request) => this.liveSlots.follow(tx, request));
  readonly forget = this.performs('forget', (tx, request) => this.liveSlots.forget(tx, request));
  readonly verify = this.performs('verify', (tx, request) => this.liveSlots.verify(tx, request));

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly connections: ConnectionOperations,
    private readonly liveSlots: LiveSlots,
    private readonly pluginPasses: RequestPluginPasses,
  ) {}

  private performs<O extends Operation>(operation: O, perform: OperationsTable<EntityManager>[O]) {
    const subject: PeerSubject = CONNECTION_SUBJECTS[operation];
    return (request: RequestOf<O>, withinMs = Infinity): Promise<ReplyOf<O>> =>
      subject.kind === 'read'
        ? perform(this.db.manager, request)
        : this.withinDeadline(userSpokenFor(subject, request)!, withinMs, (tx) => perform(tx, request));
  }

  /** Runs a transaction, and rolls it back when its caller has stopped waiting: that caller may do something else meanwhile. */
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
      throw isLockFailure(error) ? tooLate() : error;
    });
  }
}

const tooLate = () => new Refusal('service.unavailable').because('It took longer than the asker waits: nothing was changed');
