import { ProjectionReader, type Bus } from '@cds/runtime/bus';
import { ConfigFault } from '@cds/runtime/config';
import type { Db } from '@cds/runtime/db';
import type { Log } from '@cds/runtime/telemetry';
import { lastPosition } from './audit.store.ts';
import { FRONT_DOOR_MARK, isBehind, RESTORE_MARKS } from './restore-mark.ts';

/** Whether the database of the front door is older than what the bus has seen of it. */
export async function isRestored(db: Db, bus: Bus, log: Log): Promise<boolean> {
  const marks = await ProjectionReader.open(bus, RESTORE_MARKS, log);
  try {
    return isBehind(await lastPosition(db), marks.get(FRONT_DOOR_MARK));
  } finally {
    await marks.close();
  }
}

/** Started on an older database, a front door would publish as valid what was revoked since, over the rows that still know better. */
export async function refuseRestored(db: Db, bus: Bus, log: Log): Promise<void> {
  if (!(await isRestored(db, bus, log))) return;
  throw new ConfigFault([
    'DATABASE_URL: this database is older than what the bus has seen of it: after a restore run npm run operator -- after-restore',
  ]);
}
