// Brings the database to the newest shape, as the owner role. See docs/operations/settings.md.
import { configuredOwner } from '@cds/runtime/db';
import { migrateConfig } from '@cds/runtime/config';
import { runOnce } from '@cds/runtime/service';
import { migrateFlows } from './operator/prepare.service.ts';

await runOnce('flows-migrate', migrateConfig, async (config) => (await migrateFlows(configuredOwner(config))).length);
