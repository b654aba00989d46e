import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { command } from './command.ts';
import { isRoot, postgresUser, type SystemUser } from './system-user.ts';

/** Where root keeps databases that a checkout in a private folder (a mode-700 home, say) would hide from the user Postgres runs as. */
const STAND_IN_FOLDER = '/var/lib/company-data-service';

/** Where root keeps the one copy of the programs of a checkout that is hidden like that. A cache: it may be deleted at any time. */
export const PROGRAMS_FOLDER = '/var/cache/company-data-service';

/** The folder that really holds the Postgres wanted in `dir`: `dir` itself, or its stand-in. Deleting it starts afresh. */
export async function postgresFolder(dir: string): Promise<string> {
  const wanted = resolve(dir);
  const user = await postgresUser(join(wanted, 'data'));
  if (await reaches(user, nearestExisting(wanted))) return wanted;
  return join(STAND_IN_FOLDER, createHash('sha256').update(wanted).digest('hex').slice(0, 16));
}

/** A new folder for a Postgres that is gone after use. */
export async function temporaryPostgresFolder(name: string): Promise<string> {
  const user = await postgresUser('');
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    if (existsSync(parent) && (await reaches(user, parent))) return passable(await mkdtemp(join(parent, `cds-${name}-`)));
  }
  throw new Error(`No folder for temporary files that every user can enter: set TMPDIR to one (${tmpdir()} is not).`);
}

/** Makes the folder; what root makes of it, others may pass through, whatever the umask. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (!first) return;
  for (let made = folder; made.startsWith(first); made = dirname(made)) await passable(made);
}

async function passable(dir: string): Promise<string> {
  if (isRoot()) await chmod(dir, 0o711);
  return dir;
}

/** Whether the user may enter the folder or run the file; asked of the system itself, so that every rule it has counts. */
export async function reaches(user: SystemUser | undefined, path: string): Promise<boolean> {
  if (!user) return true;
  return (await command('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { seconds: 60, cwd: '/', user })).ok;
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}
