import { randomBytes } from 'node:crypto';
import { command, readArguments } from '@codase/command-line';
import { startPostgres } from '@codase/servers';
import { createStackDatabases, DATABASES, migrateStack, type DatabaseName } from '@codase/stack';
import { checkGenerated } from '../command/results.ts';
import { PERMISSIONS_FILE, permissionsText } from './permissions-file.ts';
import { grantsIn, type DatabaseGrants } from './table-grants.ts';

const HELP = `npm run permissions [-- options]   who may do what: users of the bus, accounts, buckets, databases, secrets of each process

  --write   write it to ${PERMISSIONS_FILE}

Without it, exit code 1 when that file is not what the permissions say. Starts a Postgres for as long as it takes to migrate into it.`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { write: { type: 'boolean' } });
  return checkGenerated('permissions', PERMISSIONS_FILE, permissionsText(await migratedGrants()), values.write);
});

async function migratedGrants(): Promise<Record<DatabaseName, DatabaseGrants>> {
  const password = randomBytes(16).toString('hex');
  const postgres = await startPostgres({ durable: false, password });
  try {
    const databases = await createStackDatabases(postgres.url, () => password);
    await migrateStack({ databases });
    const grants = await Promise.all(DATABASES.map(async (name) => [name, await grantsIn(databases[name].owner)] as const));
    return Object.fromEntries(grants) as Record<DatabaseName, DatabaseGrants>;
  } finally {
    await postgres.stop();
  }
}
