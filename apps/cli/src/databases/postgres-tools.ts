import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Fault } from '@codase/command-line';
import type { DatabaseAddress } from '@codase/runtime/db';
import { databaseIn } from './installed-databases.ts';

const run = promisify(execFile);

type PostgresTool = 'pg_dump' | 'pg_restore';

/** A program of Postgres that fits a server. */
export interface FoundTool {
  path: string;
  version: string;
}

/** Finds a program that is not older than the server: pg_dump refuses a newer one, and pg_restore the dump of a newer pg_dump. */
export async function findTool(
  tool: PostgresTool,
  { serverMajor, bin, otherwise }: { serverMajor: number; bin: string | undefined; otherwise: string },
): Promise<FoundTool> {
  const path = bin ? join(bin, tool) : tool;
  const where = bin ? `PG_BIN (${bin})` : 'the PATH';
  const version = await versionOf(path);
  const example = `/usr/lib/postgresql/${serverMajor}/bin`;
  const wanted = `set PG_BIN to the folder of the programs of Postgres ${serverMajor} or later, such as ${example}`;
  if (version === undefined) throw new Fault(`There is no ${tool} on ${where}: ${wanted}${otherwise}.`);
  if (Number.parseInt(version, 10) < serverMajor)
    throw new Fault(`${tool} ${version} of ${where} is older than the server, which is Postgres ${serverMajor}: ${wanted}${otherwise}.`);
  return { path, version };
}

const versionOf = (path: string): Promise<string | undefined> =>
  run(path, ['--version']).then(
    ({ stdout }) => /\) (\S+)/.exec(stdout)?.[1],
    () => undefined,
  );

/** Runs a program, and shows its own message when it fails. No password is on the command line, which every user can read. */
export async function runTool({ path }: FoundTool, args: readonly string[], database: DatabaseAddress, signal: AbortSignal): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'codase-postgres-'));
  try {
    await run(path, args, { env: { ...process.env, ...connectionEnv(database, folder) }, signal, maxBuffer: 16 * 1024 ** 2 });
  } catch (cause) {
    if (signal.aborted) throw new Fault('Interrupted.', { cause });
    const { stderr } = cause as { stderr?: string };
    throw new Fault(`${path} failed. ${stderr?.trim().split('\n')[0] ?? String(cause)}`, { cause });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the variables of libpq for a database. Certificates are in files that only this user can read, while the program runs. */
export function connectionEnv(database: DatabaseAddress, folder: string): Record<string, string> {
  const url = new URL(database.url);
  const text = (value: DatabaseAddress['password']) => (typeof value === 'function' ? value() : value);
  const password = text(database.password) ?? decodeURIComponent(url.password);
  const file = (name: string, content: string | undefined) => {
    if (content === undefined) return undefined;
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const given = (name: string) => url.searchParams.get(name) ?? undefined;
  const ca = given('sslrootcert') ?? file('ca.pem', text(database.ca));
  const env: Record<string, string | undefined> = {
    PGHOST: given('host') ?? url.hostname.replace(/^\[|\]$/g, ''),
    PGPORT: url.port || '5432',
    PGUSER: decodeURIComponent(url.username),
    PGDATABASE: databaseIn(database),
    PGPASSWORD: password || undefined,
    PGSSLMODE: given('sslmode') ?? (ca && 'verify-full'),
    PGSSLROOTCERT: ca,
    PGSSLCERT: given('sslcert') ?? file('cert.pem', text(database.cert)),
    PGSSLKEY: given('sslkey') ?? file('key.pem', text(database.key)),
    PGAPPNAME: 'codase-backup',
  };
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
