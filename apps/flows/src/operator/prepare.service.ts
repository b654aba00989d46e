import { migrate, type DatabaseAddress } from '@cds/runtime/db';
import { FLOWS_MIGRATIONS } from '../migrations/index.ts';

/** Brings the database to the newest shape. Answers the names of the migrations it ran. */
export const migrateFlows = (owner: DatabaseAddress & { connectSeconds?: number }): Promise<string[]> =>
  migrate({ ...owner, name: 'flows-migrations', migrations: FLOWS_MIGRATIONS });
