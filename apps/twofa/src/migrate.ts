// Brings the database to the newest shape, as its owner; see docs/operations/settings.md.
import { configuredOwner } from '@codase/runtime/db';
import { migrateConfig } from '@codase/runtime/config';
import { runOnce } from '@codase/runtime/service';
import { migrateTwofa } from './operator/prepare.service.ts';

await runOnce('twofa-migrate', migrateConfig, async (config) => (await migrateTwofa(configuredOwner(config))).length);
