import { resolve } from 'node:path';
import { Fault, readArguments, table, UsageFault } from '@codase/command-line';
import type { DatabaseAddress } from '@codase/runtime/db';
import { schemaOf } from '@codase/stack';
import { FLAG, TEXT, type Context, type Read } from '../command.ts';
import { contentsOf, difference, isEmpty, serverVersionOf, withDatabaseOf, type Contents } from './database-contents.ts';
import { databaseIn, find, withDatabase, type Installed, type OwnedDatabase } from './installed-databases.ts';
import { checkFile, readManifest, type BackedUp } from './manifest.ts';
import { findTool, runTool } from './postgres-tools.ts';
import { reconcileRestored, refuseRunning, stepsThatRemain } from './restored-database.ts';

/** Restores one database, next to the running one or in place of a lost one, and brings it to the schema of this release. */
export const restore: Read = (words) => {
  const { values, positionals } = readArguments(words, { from: TEXT, into: TEXT, reconcile: FLAG, audit: TEXT });
  const { from, into, reconcile, audit } = values;
  if (from === undefined) throw new UsageFault('--from is missing: name the folder of a backup.');
  if (positionals.length !== 1) throw new UsageFault('Name one database, such as region-eu.');
  if (audit !== undefined && !reconcile) throw new UsageFault('--audit is read by --reconcile: give both, or none.');
  if (into !== undefined && !/^[a-z_][a-z0-9_]{0,62}$/.test(into))
    throw new UsageFault(`--into is '${into}': a database's name has small letters, digits and _ only.`);
  const [name] = positionals as [string];
  return async (context) => {
    const installed = context.target.databases();
    const running = find(installed, name);
    const { note } = context;
    const backedUp = await readBackup(resolve(from), running);
    const target: OwnedDatabase = { ...running, owner: withDatabase(running.owner, into ?? databaseIn(running.owner)) };
    if (reconcile) await refuseRunning(context.target, running, installed);
    const dump = backedUp.dump && (await checkFile(resolve(from), backedUp.dump));

    note(`${databaseIn(target.owner)} is filled …`);
    if (dump === undefined) await cloneCopy(backedUp, target, installed);
    else await restoreDump(dump, target, running, installed, context.signal);
    const contents = await checked(target.owner, backedUp);

    note('its schema is brought to this release …');
    const ran = await (await schemaOf(target.kind)).migrate(target.owner, target.deliveryRole);
    const reconciled = reconcile ? await reconcileRestored(context.target, target, installed, audit) : undefined;
    report(context, { target, backedUp, contents, ran, reconciled });
  };
};

/** Reads the manifest's entry of a database. Refuses a backup of a later release. */
async function readBackup(folder: string, { name, kind }: OwnedDatabase): Promise<BackedUp> {
  const manifest = readManifest(folder);
  const backedUp = manifest.databases[name];
  if (!backedUp) throw new Fault(`${folder} has no ${name}: it has ${Object.keys(manifest.databases).join(', ')}.`);
  const { migrations } = await schemaOf(kind);
  const unknown = backedUp.migrations.filter((ran) => !migrations.some((known) => known.name === ran));
  if (unknown.length > 0)
    throw new Fault(`The backup of ${name} is of a later release, which ran ${unknown.join(', ')}: restore it with that release.`);
  return backedUp;
}

/** Restores a dump. An existing database must be empty, so that nothing is overwritten. A missing one is created like the running one. */
async function restoreDump(
  file: string,
  { owner }: OwnedDatabase,
  running: OwnedDatabase,
  { adminUrl }: Installed,
  signal: AbortSignal,
): Promise<void> {
  const state = await stateOf(owner);
  if (state === 'used') throw notEmpty(owner);
  if (state === 'absent') await makeDatabase(owner, running, adminUrl);
  const { major } = await withDatabaseOf(owner, serverVersionOf);
  const tool = await findTool('pg_restore', { serverMajor: major, bin: process.env['PG_BIN'], otherwise: '' });
  await runTool(tool, ['--exit-on-error', '--single-transaction', `--dbname=${databaseIn(owner)}`, file], owner, signal);
}

async function makeDatabase(owner: DatabaseAddress, running: OwnedDatabase, adminUrl: string | undefined): Promise<void> {
  if (adminUrl === undefined)
    throw new Fault(`There is no database ${databaseIn(owner)}: create it, empty, with its owner and grants, or set ADMIN_DATABASE_URL.`);
  const { createDatabaseLike } = await import('@codase/servers/databases');
  await createDatabaseLike(adminUrl, databaseIn(running.owner), databaseIn(owner));
}

/** Restores from a copy on the server, and leaves the copy there. The target must be empty or must not exist. */
async function cloneCopy({ copy, database }: BackedUp, { owner }: OwnedDatabase, { adminUrl }: Installed): Promise<void> {
  if (!copy) throw new Fault(`The manifest says neither of a dump nor of a copy of ${database}: take another copy of the backup.`);
  if (adminUrl === undefined)
    throw new Fault(
      `The backup is the database ${copy.database} on the server: set ADMIN_DATABASE_URL to a role that may create databases.`,
    );
  const state = await stateOf(owner);
  if (state === 'used') throw notEmpty(owner);
  const { cloneDatabase, dropDatabase } = await import('@codase/servers/databases');
  if (state === 'empty') await dropDatabase(adminUrl, databaseIn(owner));
  await cloneDatabase(adminUrl, copy.database, databaseIn(owner));
}

const notEmpty = (owner: DatabaseAddress): Fault =>
  new Fault(`The database ${databaseIn(owner)} is not empty, and nothing is written over: name another one by --into, or drop it.`);

/** The error code of Postgres for a database that does not exist (invalid_catalog_name). */
const NO_DATABASE = '3D000';

async function stateOf(owner: DatabaseAddress): Promise<'absent' | 'empty' | 'used'> {
  try {
    return (await withDatabaseOf(owner, isEmpty)) ? 'empty' : 'used';
  } catch (error) {
    if ((error as { cause?: { code?: string } }).cause?.code === NO_DATABASE) return 'absent';
    throw error;
  }
}

async function checked(owner: DatabaseAddress, wanted: Contents): Promise<Contents> {
  const found = await withDatabaseOf(owner, contentsOf);
  const differs = difference(wanted, found);
  if (differs !== undefined) throw new Fault(`What came back is not what was backed up: ${differs}. Do not use it; take another backup.`);
  return found;
}

interface Restored {
  target: OwnedDatabase;
  backedUp: BackedUp;
  contents: Contents;
  ran: readonly string[];
  reconciled: { result: unknown; said: string } | undefined;
}

function report({ print }: Context, { target, backedUp, contents, ran, reconciled }: Restored): void {
  const database = databaseIn(target.owner);
  const rows = Object.values(contents.rows).reduce((sum, count) => sum + count, 0);
  const remains = stepsThatRemain(target, database, reconciled !== undefined);
  const said = [
    table([
      ['database', database],
      ['as of', backedUp.made_at],
      ['rows', `${rows}, as many as were backed up`],
      ['migrations that ran', ran.join(' ') || 'none, its schema is that of this release'],
    ]),
    ...(reconciled ? [reconciled.said] : []),
    'What remains:',
    ...remains.map((step, i) => `  ${i + 1}. ${step}`),
  ];
  const result = { database, made_at: backedUp.made_at, rows, migrations: ran, reconciled: reconciled?.result ?? null, remains };
  print(said.join('\n'), result);
}
