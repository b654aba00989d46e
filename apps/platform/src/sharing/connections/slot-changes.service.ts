import { Inject, Injectable } from '@nestjs/common';
import { CONNECTION_SUBJECTS, Refusal, type PeerSubject } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { onBehalfOf } from '@codase/runtime/initiator';
import { backoffMs, isTransient } from '@codase/runtime/resilience';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { Peers } from '../../foundation/peers/index.ts';
import { Home, OwnMode, writeIfHome } from '../../foundation/regions/index.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import type { RequestOf, SlotOperation } from './region-protocol.ts';
import {
  findRequest,
  listCustomersDue,
  listSlotChanges,
  postponeSlotChange,
  removeSlotChange,
  type SlotChange,
} from './slot-changes.store.ts';
import { METRICS } from './metrics.ts';

/** Most changes are delivered when they are made, so rounds are rarer while none is due. */
const SCHEDULE = { name: 'slot_changes', everyMs: 1000, idleMs: 5000, failure: 'pending changes of slots could not be delivered' };
const CUSTOMERS_AT_ONCE = 20;
/** The number of companies to which the changes of a customer are delivered at the same time. */
const AT_ONCE = 8;
const BACKOFF = { firstMs: 1000, longestMs: 60_000 };

/**
 * Delivers the outbox: it brings changes that a customer made at home to the slots that follow them in other regions. A change may be
 * delivered twice, by two processes or after an answer was lost. Then the receiver finds its own result and changes nothing, or it finds a
 * later change and refuses. Rounds retry what could not be delivered when it was made. @gap D1-6.1
 */
@Injectable()
export class SlotChanges extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly peers: Peers,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super(SCHEDULE, log);
  }

  /** Delivers what is due. Returns whether a change was. */
  async round(): Promise<boolean> {
    if (this.mode.isPaused()) return false;
    const customers = await listCustomersDue(this.db, this.clock.now(), CUSTOMERS_AT_ONCE);
    await Promise.all(customers.map((user_id) => this.deliver(user_id)));
    return customers.length > 0;
  }

  /** Delivers the pending changes of a customer. Those that cannot be delivered now stay for a round. */
  async deliver(user_id: string, before: () => Promise<void> = async () => undefined): Promise<'all' | 'some'> {
    const changes = await listSlotChanges(this.db, user_id);
    const queues = [...Map.groupBy(changes, ({ company_user_id }) => company_user_id).values()];
    let isLeft = false;
    for (let first = 0; first < queues.length; first += AT_ONCE) {
      const some = queues.slice(first, first + AT_ONCE);
      const delivered = await Promise.all(some.map((queue) => this.deliverInOrder(queue, before)));
      isLeft ||= delivered.includes(false);
    }
    return isLeft ? 'some' : 'all';
  }

  /** Delivers all pending changes, so that no later change overtakes them. Refuses when some cannot be delivered. */
  async deliverAll(user_id: string, before: () => Promise<void>): Promise<void> {
    if ((await this.deliver(user_id, before)) === 'some') throw stillOnItsWay();
  }

  private async deliverInOrder(changes: readonly SlotChange[], before: () => Promise<void>): Promise<boolean> {
    for (const change of changes) {
      await before();
      if (!(await this.deliverOne(change))) return false;
    }
    return true;
  }

  private async deliverOne(change: SlotChange): Promise<boolean> {
    const found = await findRequest(this.db, change.change_id);
    if (!found) return true;
    const { request, statement } = found;
    try {
      const initiator = { user_id: change.customer_user_id, ...(statement !== undefined && { statement }) };
      await onBehalfOf(initiator, () => this.askRegionOf(change, request as RequestOf<SlotOperation>));
    } catch (error) {
      if (!isRefusedForGood(error)) return this.postpone(change, error);
      count(METRICS.slotChangesGivenUp);
      this.log.error('a region refuses a change of slots for good', { 'codase.region': change.region, error });
    }
    await this.write(change, (tx) => removeSlotChange(tx, change.change_id));
    return true;
  }

  /** Sends the change to the region where the company lives now. A company that lives nowhere any more has no connections. */
  private async askRegionOf({ company_user_id, region, operation }: SlotChange, request: RequestOf<SlotOperation>): Promise<void> {
    const subject: PeerSubject = CONNECTION_SUBJECTS[operation];
    try {
      await this.peers.call(subject, region, request);
    } catch (error) {
      if (!(error instanceof Refusal && error.key === 'region.rebase_required')) throw error;
      const next = await this.home.regionOf(company_user_id);
      if (next !== undefined) await this.peers.call(subject, next, request);
    }
  }

  private async postpone(change: SlotChange, error: unknown): Promise<false> {
    const attempts = change.attempts + 1;
    count(METRICS.slotChangesPostponed, { 'codase.region': change.region });
    this.log.warn('a change of slots waits for another region', { 'codase.region': change.region, 'codase.attempt': attempts, error });
    const next_at = new Date(this.clock.now().getTime() + backoffMs(BACKOFF, attempts));
    await this.write(change, (tx) => postponeSlotChange(tx, { ...change, attempts }, next_at));
    return false;
  }

  /** Writes to the outbox while the customer is at home. A company that moves takes its outbox along. */
  private write({ customer_user_id }: SlotChange, work: (tx: EntityManager) => Promise<unknown>) {
    return writeIfHome(this.db, customer_user_id, work);
  }
}

export const stillOnItsWay = () =>
  new Refusal('service.unavailable').because('An earlier change of yours is still on its way to another region: repeat the call later');

/** Whether the region would refuse the change again: its request fields have changed, or it runs another version. */
const isRefusedForGood = (error: unknown): boolean =>
  error instanceof Refusal && error.key !== 'region.rebase_required' && !isTransient(error);
