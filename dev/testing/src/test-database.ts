import { randomBytes } from 'node:crypto';
import { createDatabase, dropDatabase, type DatabaseUrls } from '@codase/servers';
import { requiredVariable } from './required-variable.ts';

export interface TestDatabase extends DatabaseUrls {
  drop(): Promise<void>;
}

/** An empty database for one test, with its owner and app roles. */
export async function testDatabase(): Promise<TestDatabase> {
  const adminUrl = requiredVariable('CODASE_TEST_POSTGRES_URL');
  const name = `t_${randomBytes(6).toString('hex')}`;
  const urls = await createDatabase(adminUrl, { name, ownerPassword: 'only-for-tests', appPassword: 'only-for-tests' });
  return { ...urls, drop: () => dropDatabase(adminUrl, name) };
}
