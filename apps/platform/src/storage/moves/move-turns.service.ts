import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type InTurn } from '@codase/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { HERE, homeStateOf, Modes, notedMoveTurn, noteMoveTurn, takeHome, type Here } from '../../foundation/regions/index.ts';
import { mayTake, STEPS_OF_PEERS, type HomeState, type HomeStep } from './home-steps.ts';

/** Takes the steps of moves in this region: one at a time for each company, no late ones, and none while writes are paused. @gap D1-5.6 */
@Injectable()
export class MoveTurns {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly modes: Modes,
    @Inject(HERE) private readonly here: Here,
  ) {}

  /** Waits for the writes of the company that are under way, then takes the step in one transaction. */
  take<T>(step: HomeStep, { user_id, turn }: InTurn, work: (tx: EntityManager, state: HomeState) => Promise<T>): Promise<T> {
    if (this.here.base === 'region') this.modes.checkWritable(this.here.region);
    return this.db.transaction(async (tx) => {
      await takeHome(tx, user_id);
      await this.checkTurn(step, { user_id, turn }, tx);
      const state = (await homeStateOf(tx, user_id)) ?? 'away';
      if (!mayTake(step, state)) throw refused(step, state);
      return work(tx, state);
    });
  }

  /** Takes a step in batches, each a transaction, until `work` returns that nothing is left. One that is cut off is repeated. */
  async takeInBatches(step: HomeStep, move: InTurn, work: (tx: EntityManager, state: HomeState) => Promise<boolean>): Promise<null> {
    let isDone = false;
    while (!isDone) isDone = await this.take(step, move, work);
    return null;
  }

  /** Refuses a step after a later one. Another region begins no turn here: its rows are taken only in the front door's turn. */
  private async checkTurn(step: HomeStep, { user_id, turn }: InTurn, tx: EntityManager): Promise<void> {
    if (STEPS_OF_PEERS.includes(step)) {
      if ((await notedMoveTurn(tx, user_id)) === turn) return;
      throw new Refusal('account.moving').because('This step of the move comes late, or its turn was not begun here');
    }
    if (!(await noteMoveTurn(tx, user_id, turn)))
      throw new Refusal('account.moving').because('This step of the move comes late: a later one was already taken');
  }
}

/** Returns the refusal of a step. A company that is not here yet has a new account, and its profile may arrive at any moment. */
function refused(step: HomeStep, state: HomeState): Refusal {
  const isNew = step === 'beginLeaving' && state === 'away';
  if (isNew) return new Refusal('service.unavailable').because('The profile of the company is not here yet');
  return new Refusal('account.moving').because(`A company that is ${state} cannot take the step ${step}`);
}
