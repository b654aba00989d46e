import { setTimeout as pause } from 'node:timers/promises';
import { count, type Log } from '@cds/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';

/** How often what stands is told anew after a change that did not come to pass. */
const AMENDS = { tries: 6, firstPauseMs: 100 };

/** A change of rows that others hold copies of. */
export interface ToldChange<T> {
  change(tx: EntityManager): Promise<T>;
  /** Holds the rows and tells them as they stand in this transaction, so that two changes are told in their order. */
  tell(tx: EntityManager): Promise<unknown>;
}

/**
 * Others learn of a change before it counts: both or neither. They are told inside its transaction; where that is then not committed,
 * they are told what stands instead.
 */
export async function changeAndTell<T>(db: DataSource, log: Log, { change, tell }: ToldChange<T>): Promise<T> {
  let isTold = false;
  try {
    return await db.transaction(async (tx) => {
      const result = await change(tx);
      isTold = true;
      await tell(tx);
      return result;
    });
  } catch (error) {
    if (isTold) await makeAmends(db, log, tell);
    throw error;
  }
}

async function makeAmends(db: DataSource, log: Log, tell: ToldChange<unknown>['tell']): Promise<void> {
  for (let tries = 1, pauseMs = AMENDS.firstPauseMs; ; tries++, pauseMs *= 2) {
    try {
      return void (await db.transaction(tell));
    } catch (error) {
      count('toldAgain');
      if (tries === AMENDS.tries)
        return log.error('others hold a change that was not committed: restart the front door, which tells everything', { error });
      await pause(pauseMs);
    }
  }
}
