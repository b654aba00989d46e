import { ensureParkedStream, ensureProjection, type Bus } from '@cds/runtime/bus';
import { migrate, type DatabaseOptions } from '@cds/runtime/db';
import { FRONT_DOOR_MIGRATIONS, PUBLISHED_TABLES, REGION_MIGRATIONS } from '../capabilities.ts';

type Owner = Pick<DatabaseOptions, 'url' | 'password'>;

/** Brings the databases to the newest shape, each as its owner. */
export async function migratePlatform({ frontDoor, regions }: { frontDoor: Owner; regions: readonly Owner[] }): Promise<string[]> {
  const ran = await migrate({ ...frontDoor, name: 'platform-migrate', migrations: FRONT_DOOR_MIGRATIONS });
  for (const region of regions) ran.push(...(await migrate({ ...region, name: 'platform-migrate', migrations: REGION_MIGRATIONS })));
  return ran;
}

/** Creates the streams and buckets of the platform's account, so that its services need no right to. */
export async function prepareBus(bus: Bus, { replicas = 1 } = {}): Promise<void> {
  await ensureParkedStream(bus, { replicas });
  for (const table of PUBLISHED_TABLES) await ensureProjection(bus, table, { replicas });
}
