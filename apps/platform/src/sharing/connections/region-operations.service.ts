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

/** The largest number of writes for other regions at once: however many wait, this region has database connections left for its own. */
const MAX_WRITES = 5;
const MAX_QUEUED_OF_A_CUSTOMER = 10;

/**
 * Answers what other regions ask about connections for their customers: a read without a transaction, a write in one of its own. The names
 * are those of the subjects (`CONNECTION_SUBJECTS`), which say what each does. @gap D1-1
 */
@Injectable()
export class RegionOperations implements Handlers<typeof CONNECTION_SUBJECTS> {
  private readonly writes = new FairSemaphore({ total: MAX_WRITES, queuedEach: MAX_QUEUED_OF_A_CUSTOMER, waitMs: LOCK_WAIT_MS }, tooLate);
  readonly card = this.handlerFor('card', (tx, request) => this.connections.card(tx, request));
  readonly pluginPass = this.handlerFor('pluginPass', (tx, request) => this.pluginPasses.issue(tx, request));
  readonly connect = this.handlerFor('connect', (tx, request) => this.connections.connect(tx, request));
  readonly places = this.handlerFor('places', (tx, request) => this.connections.places(tx, request));
  readonly read = this.handlerFor('read', (tx, request) => this.connections.read(tx, request));
  readonly change = this.handlerFor('change', (tx, request) => this.connections.change(tx, request));
  readonly disconnect = this.handlerFor('disconnect', (tx, request) => this.connections.disconnect(tx, request));
  readonly slots = this.handlerFor('slots', (tx, request) => this.liveSlots.slots(tx, request));
  readonly follow = this.handlerFor('follow', (tx, request) => this.liveSlots.follow(tx, request));
  readonly forget = this.handlerFor('forget', (tx, request) => this.liveSlots.forget(tx, request));
  readonly verify = this.handlerFor('verify', (tx, request) => this.liveSlots.verify(tx, request));

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly connections: ConnectionOperations,
    private readonly liveSlots: LiveSlots,
    private readonly pluginPasses: RequestPluginPasses,
  ) {}

  private handlerFor<O extends Operation>(operation: O, perform: OperationsTable<EntityManager>[O]) {
    const subject: PeerSubject = CONNECTION_SUBJECTS[operation];
    return (request: RequestOf<O>, withinMs = Infinity): Promise<ReplyOf<O>> =>
      subject.kind === 'read'
        ? perform(this.db.manager, request)
        : this.withinDeadline(userSpokenFor(subject, request)!, withinMs, (tx) => perform(tx, request));
  }

  /** Runs a transaction for a customer, and rolls it back when the other region has stopped waiting: it may have done something else. */
  private withinDeadline<T>(customer_user_id: string, withinMs: number, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const deadline = performance.now() + withinMs;
    const transaction = () =>
      this.home.transaction(async (tx) => {
        await waitAtMost(tx, LOCK_WAIT_MS);
        const result = await work(tx);
        if (performance.now() > deadline) throw tooLate();
        return result;
      });
    return this.writes.run(customer_user_id, transaction).catch((error: unknown) => {
      throw isLockFailure(error) ? tooLate() : error;
    });
  }
}

const tooLate = () => new Refusal('service.unavailable').because('It took longer than the asker waits: nothing was changed');
