import { setTimeout as pause } from 'node:timers/promises';
import { count, type Log } from '@cds/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';

/** How often the committed rows are published again after a transaction that failed, and the first pause between two attempts. */
const REPUBLISH = { tries: 6, firstPauseMs: 100 };

/** A change of rows that the regions hold replicas of. */
export interface PublishedChange<T> {
  change(tx: EntityManager): Promise<T>;
  /** Locks the rows and publishes them as this transaction sees them, so that two changes are published in their order. */
  publish(tx: EntityManager): Promise<unknown>;
}

/**
 * Replicas learn of a change before it is committed: both happen or neither. The rows are published inside the transaction; if that then
 * fails to commit, the rows as they were committed before are published in their place.
 */
export async function changeAndPublish<T>(db: DataSource, log: Log, { change, publish }: PublishedChange<T>): Promise<T> {
  let isPublished = false;
  try {
    return await db.transaction(async (tx) => {
      const result = await change(tx);
      isPublished = true;
      await publish(tx);
      return result;
    });
  } catch (error) {
    if (isPublished) await republishCommittedState(db, log, publish);
    throw error;
  }
}

async function republishCommittedState(db: DataSource, log: Log, publish: PublishedChange<unknown>['publish']): Promise<void> {
  for (let tries = 1, pauseMs = REPUBLISH.firstPauseMs; ; tries++, pauseMs *= 2) {
    try {
      return void (await db.transaction(publish));
    } catch (error) {
      count('toldAgain');
      if (tries === REPUBLISH.tries)
        return log.error('others hold a change that was not committed: restart the front door, which tells everything', { error });
      await pause(pauseMs);
    }
  }
}
