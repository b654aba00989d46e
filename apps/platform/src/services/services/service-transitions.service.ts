import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { forgetService, forgetSome } from '../feed/index.ts';
import { FrontDoorRequests, Home, writeIfHome } from '../../foundation/regions/index.ts';
import {
  CUSTOMER_NOTICES,
  SERVICE_CLIENT_ENDS,
  SERVICE_MAY_END,
  type CustomerNotices,
  type ServiceClientEnds,
  type ServiceMayEnd,
} from './services.hook.ts';
import type { OwnService, ServiceRow } from './service-row.ts';
import { lockService, removeService } from './services.store.ts';
import { clearTransition, lockInTransition, setTransition } from './transitions.store.ts';

/** How long after its begin the worker takes a transition over: a request to the front door has ended long before. */
const DUE_MS = 30_000;

/**
 * A service and its client are in two databases, and no transaction stays open while the front door is asked. So a transition is noted on
 * the service, the front door is asked, and the result is written. Each step may be repeated, and a worker that finds the note overdue goes
 * on from there. A deletion is finished; a client whose creation was not finished is withdrawn, since nobody has its secret. No client
 * outlives its service: the front door refuses to register a client for a service that was withdrawn. @spec D1-5.8
 */
@Injectable()
export class ServiceTransitions {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly frontDoor: FrontDoorRequests,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly audit: Audit,
    @Inject(SERVICE_CLIENT_ENDS) private readonly endings: readonly ServiceClientEnds[],
    @Inject(SERVICE_MAY_END) private readonly conditions: readonly ServiceMayEnd[],
    @Inject(CUSTOMER_NOTICES) private readonly notices: readonly CustomerNotices[],
  ) {}

  /** Returns whether the service has a client. This is asked before anything is noted, so that nothing is begun without the front door. */
  async hasClient(own: OwnService): Promise<boolean> {
    try {
      await this.frontDoor.request(FRONT_DOOR.readClient, {}, own);
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.key === 'services.client_not_found') return false;
      throw error;
    }
  }

  /** Deletes a service and its client. */
  async delete(own: OwnService): Promise<void> {
    await this.home.write(own.company_user_id, async (tx) => {
      if (!(await lockInTransition(tx, own))) throw new Refusal('services.not_found');
      for (const condition of this.conditions) await condition.checkServiceMayEnd(tx, own);
      await setTransition(tx, own, { transition: 'deleting', due_at: this.due() });
      await this.endClient(tx, own);
      await this.audit.record(tx, { act: 'service.deleted', account_id: own.company_user_id, object: own.service_id });
    });
    await this.finishDeletion(own);
  }

  /** Notes that a client is being created. */
  beginCreation(own: OwnService, client_id: string): Promise<ServiceRow> {
    return this.home.write(own.company_user_id, async (tx) => {
      const service = await lockService(tx, own);
      if (service.transition === 'creating_client') throw new Refusal('services.client_exists');
      if (service.transition === 'withdrawing_client') throw beingWithdrawn();
      await setTransition(tx, own, { transition: 'creating_client', client_id, due_at: this.due() });
      return service;
    });
  }

  /** Removes the note and does `work`, because the client is registered. Refuses when the worker has given up the creation. */
  completeCreation(own: OwnService, client_id: string, work: (tx: EntityManager) => Promise<unknown>): Promise<void> {
    return this.home.write(own.company_user_id, async (tx) => {
      if (!isOf(await lockService(tx, own), 'creating_client', client_id)) throw beingWithdrawn();
      await clearTransition(tx, own);
      await work(tx);
    });
  }

  /** Ends a creation that was refused, or not answered: then the client may still be registered, and the worker withdraws it. */
  async abandonCreation(own: OwnService, client_id: string, error: unknown): Promise<void> {
    await this.home.write(own.company_user_id, async (tx) => {
      const service = await lockInTransition(tx, own);
      if (!service || !isOf(service, 'creating_client', client_id)) return;
      if (error instanceof Refusal && error.status < 500) await clearTransition(tx, own);
      else await setTransition(tx, own, { transition: 'withdrawing_client', client_id, due_at: this.clock.now() });
    });
  }

  /** Goes on with an interrupted transition. A company takes its services along, and the new region finishes their transitions. */
  async resume(own: OwnService): Promise<void> {
    const service = await writeIfHome(this.db, own.company_user_id, (tx) => this.takeOver(tx, own));
    if (!service) return;
    if (service.transition === 'deleting') return this.finishDeletion(own);
    if (service.transition_client_id !== null) await this.finishWithdrawal(own, service.transition_client_id);
  }

  /** Takes a transition over: the process that was creating a client cannot complete it, and the later due time keeps others away. */
  private async takeOver(tx: EntityManager, own: OwnService): Promise<ServiceRow | undefined> {
    const service = await lockInTransition(tx, own);
    if (!service?.transition) return undefined;
    const client_id = service.transition_client_id;
    const due_at = this.due();
    await setTransition(
      tx,
      own,
      client_id === null ? { transition: 'deleting', due_at } : { transition: 'withdrawing_client', client_id, due_at },
    );
    return service;
  }

  private async finishDeletion(own: OwnService): Promise<void> {
    await this.frontDoor.request(FRONT_DOOR.withdrawClient, {}, own);
    for (const notices of this.notices) await this.repeat(own, (tx) => notices.serviceEnds(tx, own, this.clock.now()));
    await this.repeat(own, (tx) => forgetSome(tx, own));
    await this.home.write(own.company_user_id, async (tx) => {
      if (!(await lockInTransition(tx, own))) return;
      await forgetService(tx, own);
      await removeService(tx, own);
    });
  }

  /**
   * Ends what a service has of one kind, some in each transaction, until `endSome` returns that nothing was left. A service may have any
   * number of customers and events that wait, and each transaction locks the event logs of the customers that it informs, once and in their
   * order.
   */
  private async repeat(own: OwnService, endSome: (tx: EntityManager) => Promise<number>): Promise<void> {
    const some = (tx: EntityManager) => lockInTransition(tx, own).then((service) => (service ? endSome(tx) : 0));
    for (let ended = 1; ended > 0;) ended = await this.home.write(own.company_user_id, some);
  }

  private async finishWithdrawal(own: OwnService, client_id: string): Promise<void> {
    await this.frontDoor.request(FRONT_DOOR.withdrawClient, {}, { ...own, client_id });
    await this.home.write(own.company_user_id, async (tx) => {
      const service = await lockInTransition(tx, own);
      if (service && isOf(service, 'withdrawing_client', client_id)) await clearTransition(tx, own);
    });
  }

  /** Ends what the client has begun. The service is locked. */
  async endClient(tx: EntityManager, own: OwnService): Promise<void> {
    for (const ending of this.endings) await ending.serviceClientEnds(tx, own);
  }

  private due(): Date {
    return new Date(this.clock.now().getTime() + DUE_MS);
  }
}

const isOf = (service: ServiceRow, transition: ServiceRow['transition'], client_id: string): boolean =>
  service.transition === transition && service.transition_client_id === client_id;

const beingWithdrawn = () =>
  new Refusal('service.unavailable').because('A data client that could not be created is being withdrawn: repeat the call later');
