import { ensureParkedStream, ensureProjection, type Bus } from '@codase/runtime/bus';
import { migrate, openDatabase, type DatabaseAddress } from '@codase/runtime/db';
import { FRONT_DOOR_MIGRATIONS, PUBLISHED_TABLES, REGION_MIGRATIONS } from '../capabilities.ts';
import { grantsOfDelivery } from './delivery-grants.ts';

type Owner = DatabaseAddress & { connectSeconds?: number };

/** A region's database, and the role as which the delivery reaches it. */
interface RegionOwner extends Owner {
  deliveryRole: string;
}

const NAME = 'platform-migrate';

/** Migrates the databases, each as its owner, and gives the delivery the rights that it needs in the regions. */
export async function migratePlatform({ frontDoor, regions }: { frontDoor: Owner; regions: readonly RegionOwner[] }): Promise<string[]> {
  const ran = await migrateFrontDoor(frontDoor);
  for (const region of regions) ran.push(...(await migrateRegion(region)));
  return ran;
}

export const migrateFrontDoor = (owner: Owner): Promise<string[]> => migrate({ ...owner, name: NAME, migrations: FRONT_DOOR_MIGRATIONS });

export async function migrateRegion({ deliveryRole, ...region }: RegionOwner): Promise<string[]> {
  const ran = await migrate({ ...region, name: NAME, migrations: REGION_MIGRATIONS });
  await grantToDelivery(region, deliveryRole);
  return ran;
}

/** Gives the delivery its rights. It is safe to repeat, and to run twice at once. */
async function grantToDelivery(owner: Owner, role: string): Promise<void> {
  const db = await openDatabase({ ...owner, name: NAME, pool: 1 });
  try {
    await db.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtext('grants of the delivery'))`);
      for (const statement of grantsOfDelivery(role)) await tx.query(statement);
    });
  } finally {
    await db.destroy();
  }
}

/** Creates the streams and buckets of the platform's account, so that its services do not need the right to create them. */
export async function prepareBus(bus: Bus, { replicas = 1 } = {}): Promise<void> {
  await ensureParkedStream(bus, { replicas });
  for (const table of PUBLISHED_TABLES) await ensureProjection(bus, table, { replicas });
}
