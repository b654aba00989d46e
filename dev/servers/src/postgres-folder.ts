import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { command } from './command.ts';
import { isRoot, postgresUser, type SystemUser } from './system-user.ts';

/** Where root keeps databases when the user that Postgres runs as cannot enter the checkout, such as a home of mode 700. */
const STAND_IN_FOLDER = '/var/lib/company-data-service';

/** The folder in which root keeps the one copy of the programs of such a checkout. It is a cache: it may be deleted at any time. */
export const PROGRAMS_FOLDER = '/var/cache/company-data-service';

/** The folder that really holds the Postgres for `dir`: `dir` itself, or its stand-in. Deleting it starts afresh. */
export async function postgresFolder(dir: string): Promise<string> {
  const wanted = resolve(dir);
  const user = await postgresUser(join(wanted, 'data'));
  if (await reaches(user, nearestExisting(wanted))) return wanted;
  return join(STAND_IN_FOLDER, createHash('sha256').update(wanted).digest('hex').slice(0, 16));
}

/** Makes a new folder for a Postgres that is deleted after use. */
export async function temporaryPostgresFolder(name: string): Promise<string> {
  const user = await postgresUser('');
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    if (existsSync(parent) && (await reaches(user, parent))) return passable(await mkdtemp(join(parent, `codase-${name}-`)));
  }
  throw new Error(`No folder for temporary files that every user can enter: set TMPDIR to one (${tmpdir()} is not).`);
}

/** Makes the folder. Other users may pass through the folders that root makes, whatever the umask. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (!first) return;
  for (let made = folder; made.startsWith(first); made = dirname(made)) await passable(made);
}

async function passable(dir: string): Promise<string> {
  if (isRoot()) await chmod(dir, 0o711);
  return dir;
}

/** Whether the user may enter the folder or run the file. The system itself is asked, so that all its rules count. */
export async function reaches(user: SystemUser | undefined, path: string): Promise<boolean> {
  if (!user) return true;
  return (await command('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { seconds: 60, cwd: '/', user })).ok;
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}
