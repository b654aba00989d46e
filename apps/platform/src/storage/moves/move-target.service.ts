import { Inject, Injectable } from '@nestjs/common';
import type { InTurn } from '@codase/contracts';
import { setHome } from '../../foundation/regions/index.ts';
import { COMPANY_ARRIVES, type CompanyArrives } from './moves.hook.ts';
import { CompanyRows } from './company-rows.store.ts';
import { MoveTurns } from './move-turns.service.ts';
import { MovedTables } from './moved-tables.ts';
import { TransferredRows } from './transferred-rows.service.ts';

/** The new region's side of a move. @gap D1-5.6 */
@Injectable()
export class MoveTarget {
  constructor(
    private readonly turns: MoveTurns,
    private readonly rows: CompanyRows,
    private readonly tables: MovedTables,
    private readonly transferred: TransferredRows,
    @Inject(COMPANY_ARRIVES) private readonly arrivals: readonly CompanyArrives[],
  ) {}

  /** Removes all rows of the company, so that every copy begins with nothing. */
  begin(move: InTurn): Promise<null> {
    return this.turns.takeInBatches('beginArriving', move, (tx) => this.rows.removeSome(move.user_id, tx));
  }

  takeRows({ table, rows, ...move }: InTurn & { table: string; rows: string }): Promise<null> {
    return this.turns.take('takeRows', move, async (tx) => {
      await this.rows.add(move.user_id, table, this.transferred.arriving(this.tables.find(table), rows), tx);
      return null;
    });
  }

  /**
   * Marks the company as leaving, which means here that all its rows can be read and none is written. The old region removes its rows only
   * after that. So a region that was restored and has no rows refuses this step, and the old region keeps the only copy.
   */
  complete(move: InTurn): Promise<null> {
    return this.turns.take('completeArriving', move, async (tx, state) => {
      if (state === 'arriving') await setHome(tx, move.user_id, 'leaving', null);
      return null;
    });
  }

  finish(move: InTurn): Promise<null> {
    return this.turns.take('finishArriving', move, async (tx) => {
      await setHome(tx, move.user_id, 'here', null);
      for (const arrival of this.arrivals) await arrival.companyArrives(tx, move.user_id);
      return null;
    });
  }

  forget(move: InTurn): Promise<null> {
    return this.turns.takeInBatches('forgetArrival', move, (tx) => this.rows.removeSome(move.user_id, tx));
  }
}
