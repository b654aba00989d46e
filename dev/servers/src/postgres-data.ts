import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { command } from './command.ts';
import { StartFailure } from './start-failure.ts';
import type { PostgresPrograms } from './postgres-programs.ts';
import type { SystemUser } from './system-user.ts';

interface NewCluster {
  data: string;
  password: string;
  durable: boolean;
  user?: SystemUser | undefined;
}

/** Whether the folder is empty and waits for its first start. A folder with anything in it is never overwritten, even if it is damaged. */
export async function isEmpty(data: string): Promise<boolean> {
  const entries = await readdir(data).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw new StartFailure({ server: 'Postgres', dir: dirname(data), port: 0 }, '', error.message);
  });
  return entries.length === 0;
}

/** Makes a database cluster in a folder of its own and moves it there whole: an interrupted attempt leaves nothing. */
export async function createCluster(programs: PostgresPrograms, { data, password, durable, user }: NewCluster): Promise<void> {
  const fresh = `${data}.new`;
  const passwordFile = join(fresh, 'password');
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [fresh, passwordFile]) await chown(path, user.uid, user.gid);
  try {
    const { ok, problem } = await programs.initdb(initdbArguments(join(fresh, 'data'), passwordFile, durable));
    if (!ok) throw new StartFailure({ server: 'Postgres', dir: dirname(data), port: 0 }, '', problem);
    await rm(data, { recursive: true, force: true });
    await rename(join(fresh, 'data'), data);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Arguments for tests. Passwords are checked in clear text: proving that one knows them takes twice the CPU of a connection. */
const FAST = ['--no-sync', '--no-data-checksums', '--auth=password', '--set=scram_iterations=1'];

/** The arguments of initdb. The builtin locale C.UTF-8 sorts by code point, the same on every system, and needs no locale installed. */
function initdbArguments(data: string, passwordFile: string, durable: boolean): string[] {
  return [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--no-locale',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(durable ? ['--auth=scram-sha-256'] : FAST),
  ];
}

/**
 * Removes the lock file that a killed Postgres left behind: its process number may since belong to another program, which Postgres would
 * mistake for itself. A Postgres that is really alive gets a while to end, because its guard may be stopping it right now.
 */
export async function clearStaleLock(programs: PostgresPrograms, data: string, port: number): Promise<void> {
  for (let waited = 0; ; waited += 100) {
    const pid = await lockHolder(data);
    if (!pid) return;
    const server = await serverOf(pid, programs);
    if (!server) return rm(join(data, 'postmaster.pid'), { force: true });
    if (waited >= 3_000) throw new StartFailure({ server: 'Postgres', dir: dirname(data), port }, '', `${server} is already serving it`);
    await sleep(100);
  }
}

/** The process number of each Postgres in a container, where it is alone. */
const PID_IN_CONTAINER = 1;

/** The server with this process number, in words; undefined when there is none. Two containers on one folder cannot see each other. */
async function serverOf(pid: number, programs: PostgresPrograms): Promise<string | undefined> {
  if (pid !== PID_IN_CONTAINER) return (await isPostgres(pid)) ? `process ${pid}` : undefined;
  if (programs.servingContainer) return programs.servingContainer();
  return 'a container (or one that was killed; a start with CODASE_INFRA=containers clears that up)'; // programs cannot ask the runtime
}

/** Whether the Postgres with this process number accepts connections, as it says in the eighth line of its lock file. */
export async function saysReady(data: string, pid: number): Promise<boolean> {
  const lines = await lockFile(data);
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

async function lockHolder(data: string): Promise<number> {
  return Number((await lockFile(data))[0]) || 0;
}

async function lockFile(data: string): Promise<string[]> {
  return (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
}

/** Whether a Postgres with this process number is alive; a zombie is not. */
export async function isPostgres(pid: number): Promise<boolean> {
  if (process.platform === 'linux') return /\(postgres\) [^ZX]/.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
  const { output } = await command('ps', ['-o', 'stat=,comm=', '-p', String(pid)], { seconds: 60 });
  return /^[^Z].*postgres/.test(output.trim());
}
