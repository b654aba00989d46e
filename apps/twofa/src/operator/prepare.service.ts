import { migrate } from '@cds/runtime/db';
import { TWOFA_MIGRATIONS } from '../migrations/index.ts';

/** Brings the database to the newest shape. Answers the names of the migrations it ran. */
export const migrateTwofa = ({ url }: { url: string }): Promise<string[]> =>
  migrate({ url, name: 'twofa-migrations', migrations: TWOFA_MIGRATIONS });
