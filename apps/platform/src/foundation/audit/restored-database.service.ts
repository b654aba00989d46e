import { restoreMark } from '@codase/contracts';
import { ProjectionReader, type Bus } from '@codase/runtime/bus';
import { ConfigFault } from '@codase/runtime/config';
import type { Db } from '@codase/runtime/db';
import type { Log } from '@codase/runtime/telemetry';
import { lastPosition } from './audit.store.ts';
import { isBehind, RESTORE_MARKS } from './restore-mark.ts';

/** Whether a database is older than what the bus has seen of it. Without a region, it is the database of the front door. */
export async function isRestored(db: Db, bus: Bus, log: Log, region?: string): Promise<boolean> {
  const marks = await ProjectionReader.open(bus, RESTORE_MARKS, log);
  try {
    return isBehind(await lastPosition(db), marks.get(restoreMark(region)));
  } finally {
    await marks.close();
  }
}

/**
 * Refuses to start on a database that was restored from an older copy. On such a database the front door would publish as valid what was
 * revoked since, over newer rows, and a region would serve and deliver what was deleted since.
 */
export async function refuseRestored(db: Db, bus: Bus, log: Log, region?: string): Promise<void> {
  if (!(await isRestored(db, bus, log, region))) return;
  const command = `npm run operator -- after-restore${region === undefined ? '' : ` --region ${region}`}`;
  throw new ConfigFault([`DATABASE_URL: this database is older than what the bus has seen of it: after a restore run ${command}`]);
}
