// Brings the database of the front door, or of a region, to the newest schema, with its owner role; see docs/operations/settings.md.
import { configuredOwner } from '@codase/runtime/db';
import { runOnce } from '@codase/runtime/service';
import { MigrateConfig } from './kit/config.ts';
import { migrateFrontDoor, migrateRegion } from './operator/prepare.service.ts';

await runOnce('platform-migrate', MigrateConfig, async (config) => {
  const owner = configuredOwner(config);
  const ran =
    config.PLATFORM_ROLES === 'region' ? migrateRegion({ ...owner, deliveryRole: config.DELIVERY_ROLE! }) : migrateFrontDoor(owner);
  return (await ran).length;
});
