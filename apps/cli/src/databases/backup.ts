import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault, readArguments, table, UsageFault } from '@codase/command-line';
import { one, sql } from '@codase/runtime/db';
import { FLAG, TEXT, type Context, type Read } from '../command.ts';
import { contentsOf, serverVersionOf, withDatabaseOf, type Contents, type OpenDatabase } from './database-contents.ts';
import { chosen, databaseIn, withDatabase, type OwnedDatabase } from './installed-databases.ts';
import { NOT_INCLUDED, sha256Of, writeManifest, type BackedUp, type Manifest } from './manifest.ts';
import { findTool, runTool, type FoundTool } from './postgres-tools.ts';

/** Backs up databases while they run, each by itself: as a dump in a folder, or as a copy on the server when no pg_dump fits. */
export const backup: Read = (words) => {
  const { values, positionals } = readArguments(words, { to: TEXT, copy: FLAG });
  if (values.to === undefined) throw new UsageFault('--to is missing: name a folder for the backup, one that is not there yet.');
  const folder = resolve(values.to);
  return async (context) => {
    const installed = context.target.databases();
    const databases = chosen(installed, positionals);
    const adminUrl = values.copy ? needAdmin(installed.adminUrl) : undefined;
    makeFolder(folder);
    const made: Manifest['databases'] = {};
    for (const database of databases) {
      context.note(`${database.name} …`);
      made[database.name] = adminUrl ? await copied(database, adminUrl) : await dumped(database, folder, context.signal);
    }
    const manifest: Manifest = { format: 1, made_at: new Date().toISOString(), databases: made, not_included: NOT_INCLUDED };
    writeManifest(folder, manifest);
    report(context, folder, manifest);
  };
};

function needAdmin(adminUrl: string | undefined): string {
  if (adminUrl === undefined)
    throw new Fault('--copy makes databases on the server: set ADMIN_DATABASE_URL to one of a role that may, such as postgres.');
  return adminUrl;
}

/** Creates the folder so that only its owner can read it: it will contain all data of the databases. */
function makeFolder(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Fault(`${folder} is not empty: name a folder that is not there yet, so that no backup is written over.`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/** Dumps a database. Its rows are counted in the same snapshot that is dumped, so the numbers must be the same after a restore. */
function dumped({ name, owner }: OwnedDatabase, folder: string, signal: AbortSignal): Promise<BackedUp> {
  return withDatabaseOf(owner, async (db) => {
    const { version: server, major } = await serverVersionOf(db);
    const otherwise = '; or make a copy on the server by --copy';
    const tool = await findTool('pg_dump', { serverMajor: major, bin: process.env['PG_BIN'], otherwise });
    const file = `${name}.dump`;
    const path = join(folder, file);
    const made_at = new Date().toISOString();
    const contents = await inSnapshot(db, (snapshot) => dump(tool, path, snapshot));
    const dumpOf = { file, bytes: statSync(path).size, sha256: await sha256Of(path), pg_dump: tool.version };
    return { database: databaseIn(owner), made_at, server, dump: dumpOf, ...contents };
  });

  async function dump(tool: FoundTool, path: string, snapshot: string): Promise<void> {
    await runTool(tool, ['--format=custom', `--snapshot=${snapshot}`, `--file=${path}`], owner, signal);
    chmodSync(path, 0o600);
  }
}

function inSnapshot(db: OpenDatabase, work: (snapshot: string) => Promise<void>): Promise<Contents> {
  return db.transaction('REPEATABLE READ', async (tx) => {
    await tx.query('set local idle_in_transaction_session_timeout = 0');
    const { snapshot } = (await one<{ snapshot: string }>(tx, sql`select pg_export_snapshot() as snapshot`))!;
    await work(snapshot);
    return contentsOf(tx);
  });
}

/** Copies a database on its server. Connections are refused for the moment that this takes, and services then connect again. */
async function copied({ owner }: OwnedDatabase, adminUrl: string): Promise<BackedUp> {
  const { copyDatabaseInUse } = await import('@codase/servers/databases'); // imported here, because it loads a driver
  const made_at = new Date().toISOString();
  const database = databaseIn(owner);
  const copy = `${database.slice(0, 40)}_backup_${made_at.replace(/\W/g, '').slice(0, 18).toLowerCase()}`;
  await copyDatabaseInUse(adminUrl, database, copy);
  return withDatabaseOf(withDatabase(owner, copy), async (db) => {
    const { version: server } = await serverVersionOf(db);
    return { database, made_at, server, copy: { database: copy }, ...(await contentsOf(db)) };
  });
}

function report({ print }: Context, folder: string, manifest: Manifest): void {
  const rows = Object.entries(manifest.databases).map(([name, { dump, copy, rows: counted, migrations }]) => [
    name,
    dump ? dump.file : `database ${copy!.database}`,
    dump ? `${Math.ceil(dump.bytes / 1024)} KB` : '',
    `${Object.values(counted).reduce((sum, count) => sum + count, 0)} rows`,
    migrations.at(-1) ?? 'no schema yet',
  ]);
  const said = [
    table([['database', 'is in', 'size', 'rows', 'schema'], ...rows]),
    `The backup is whole: ${join(folder, 'manifest.json')}. Keep it where the databases are not.`,
    'Not in it are streams, buckets, files of an object store and secrets; the manifest says how each comes back.',
  ];
  print(said.join('\n'), { folder, ...manifest });
}
