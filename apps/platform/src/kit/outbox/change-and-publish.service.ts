import type { ProjectionReader } from '@codase/runtime/bus';
import { retry } from '@codase/runtime/resilience';
import type { Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import type { z } from 'zod';
import { METRICS } from '../metrics.ts';

/** Publishing the committed rows again is tried up to six times, whatever the error is. */
const REPUBLISH = {
  bound: { attempts: 6 },
  backoff: { firstMs: 100, longestMs: 1600 },
  metric: METRICS.republished,
  isWorth: () => true,
} as const;

/** A change of rows that the regions hold replicas of. */
interface PublishedChange<T> {
  change(tx: EntityManager): Promise<T>;
  /** Locks the rows and publishes them as this transaction sees them, so that two changes are published in their order. */
  publish(tx: EntityManager): Promise<unknown>;
}

/**
 * Changes rows and publishes them to the replicas inside the same transaction, before it is committed, so that both happen or neither. If
 * the transaction then fails to commit, the rows as they were committed before are published in their place.
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

const republishCommittedState = (db: DataSource, log: Log, publish: PublishedChange<unknown>['publish']): Promise<unknown> =>
  retry(() => db.transaction(publish), REPUBLISH).catch((error: unknown) =>
    log.error('others hold a change that was not committed: restart the front door, which publishes everything', { error }),
  );

/** Publishes a row again, as it is in the table, when the published row does not fit its shape: the table is the source of truth. */
export function republishMisfits<S extends z.ZodType>(
  rows: ProjectionReader<S>,
  log: Log,
  republish: (key: string) => Promise<unknown>,
): void {
  rows.onMisfit((key) => {
    republish(key).catch((error: unknown) => log.error('a row that does not fit could not be published anew', { error }));
  });
}
