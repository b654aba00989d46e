// Brings the database to the newest shape, as the owner role. See docs/operations/settings.md.
import { configuredOwner } from '@codase/runtime/db';
import { migrateConfig } from '@codase/runtime/config';
import { runOnce } from '@codase/runtime/service';
import { migrateFlows } from './operator/prepare.service.ts';

await runOnce('flows-migrate', migrateConfig, async (config) => (await migrateFlows(configuredOwner(config))).length);
