import type { DatabaseUrls } from '@codase/servers';
import { DATABASES, type DatabaseName } from './layout.ts';

type RegionDatabase = Extract<DatabaseName, `region_${string}`>;

/** The databases of the default stack. The delivery has its own role in the databases of the regions. */
export type StackDatabases = Record<Exclude<DatabaseName, RegionDatabase>, DatabaseUrls> & Record<RegionDatabase, DatabaseUrls<'delivery'>>;

/** Makes the databases of the default stack with their roles, or brings existing ones to the same state. */
export async function createStackDatabases(
  adminUrl: string,
  password: (database: string, role: string) => string,
): Promise<StackDatabases> {
  // Imported by this entry, because commands are bundled, and the code that runs containers cannot be bundled.
  const { createDatabase } = await import('@codase/servers/databases');
  const create = async (name: DatabaseName) => {
    const passwords = { ownerPassword: password(name, 'owner'), appPassword: password(name, 'app') };
    const others = name.startsWith('region_') ? { rolePasswords: { delivery: password(name, 'delivery') } } : {};
    return [name, await createDatabase<string>(adminUrl, { name, ...passwords, ...others })] as const;
  };
  return Object.fromEntries(await Promise.all(DATABASES.map(create))) as StackDatabases;
}

export const roleIn = (url: string): string => decodeURIComponent(new URL(url).username);
