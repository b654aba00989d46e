import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, readArguments } from '@codase/command-line';
import { startPostgres } from '@codase/servers';
import { createStackDatabases, DATABASES, migrateStack, type DatabaseName } from '@codase/stack';
import { ROOT } from '../command/root.ts';
import { PERMISSIONS_FILE, permissionsText } from './permissions-file.ts';
import { grantsIn, type DatabaseGrants } from './table-grants.ts';

const HELP = `npm run permissions [-- options]   who may do what: users of the bus, accounts, buckets, databases, secrets of each process

  --write   write it to ${PERMISSIONS_FILE}

Without it, exit code 1 when that file is not what the permissions say. Starts a Postgres for as long as it takes to migrate into it.`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { write: { type: 'boolean' } });
  const [file, text] = [join(ROOT, PERMISSIONS_FILE), permissionsText(await migratedGrants())];
  if (values.write) writeFileSync(file, text);
  const isCurrent = readFileSync(file, 'utf8') === text;
  console.log(isCurrent ? `${PERMISSIONS_FILE} is current` : `${PERMISSIONS_FILE} is not current: npm run permissions -- --write`);
  return isCurrent ? 0 : 1;
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
