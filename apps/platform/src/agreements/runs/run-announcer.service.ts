import { Injectable } from '@nestjs/common';
import { together } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { emitAppEvents, type AppEventPresenter } from '../../foundation/app-events/index.ts';
import { companyEvents, emit, emitCustomerEvents, type NewCustomerEvent } from '../../services/feed/index.ts';
import { completedEvents, customersOf, phoneEvents, runIn, turnEvents } from './events.ts';
import type { BoundRun, PartyRow } from './run-row.ts';

/** Announces a change of a run, as the last step of its transaction: it locks the logs of phones until the commit. @spec D2-6 */
@Injectable()
export class RunAnnouncer implements AppEventPresenter {
  /** What a phone gets is which run it is and by which connection: it then reads the run. @gap D2-6 */
  readonly presents: AppEventPresenter['presents'] = {
    flow_run_turn: async ({ object_id }) => runIn(object_id),
    flow_completed: async ({ object_id }) => runIn(object_id),
    flow_run_cancelled: async ({ object_id }) => runIn(object_id),
  };

  /** Announces that a party has to answer. The service hears of every turn, a customer only of its own turns. */
  async announceTurn(tx: EntityManager, bound: BoundRun, awaited: PartyRow, at: Date): Promise<void> {
    await together([
      emit(tx, turnEvents(bound, awaited, at)),
      emitCustomerEvents(tx, ownFeedEvents('flow_run_turn', bound, [awaited], at)),
      emitAppEvents(tx, phoneEvents('flow_run_turn', bound, [awaited], at)),
    ]);
  }

  async announceCompleted(tx: EntityManager, bound: BoundRun, at: Date): Promise<void> {
    await together([
      emit(tx, completedEvents(bound, at)),
      emitCustomerEvents(tx, ownFeedEvents('flow_completed', bound, bound.parties, at)),
      emitAppEvents(tx, phoneEvents('flow_completed', bound, bound.parties, at)),
    ]);
  }

  /** Feeds have no event for a cancelled run: the service cancels it itself, or hears that the connection has ended. @gap D2-6 */
  async announceCancelled(tx: EntityManager, ended: readonly BoundRun[], at: Date): Promise<void> {
    const ofPhones = ended.flatMap((bound) => phoneEvents('flow_run_cancelled', bound, bound.parties, at));
    await emitAppEvents(tx, ofPhones);
  }
}

/** Returns the events for the own feeds of companies that take part as customers. @spec D1-4.6 */
const ownFeedEvents = (
  event: 'flow_run_turn' | 'flow_completed',
  { run: { service_id, run_id: flow_run_id } }: BoundRun,
  parties: readonly PartyRow[],
  at: Date,
): NewCustomerEvent[] =>
  companyEvents(
    customersOf(parties).map(({ user_id: customer_user_id, ...party }) => ({ ...party, customer_user_id, service_id })),
    { event, flow_run_id },
    at,
  );
