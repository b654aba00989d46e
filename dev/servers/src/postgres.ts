import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { onPort } from './free-port.ts';
import { guard } from './guard.ts';
import { logTail } from './log-file.ts';
import { clearStaleLock, createCluster, isEmpty, saysReady } from './postgres-data.ts';
import { makeFolder, postgresFolder, temporaryPostgresFolder } from './postgres-folder.ts';
import { postgresPrograms, type PostgresPrograms } from './postgres-programs.ts';
import type { Progress } from './progress.ts';
import { StartedServer, type RunningServer } from './running-server.ts';
import { StartFailure } from './start-failure.ts';
import { postgresUser } from './system-user.ts';

export interface PostgresOptions {
  /** The folder for its data (see `postgresFolder` for root); when absent, a temporary folder that `stop` deletes. */
  dir?: string;
  /** The port; a free one when absent. */
  port?: number;
  /** False for a server that is as fast as possible: a crash of the machine may lose everything. */
  durable: boolean;
  /** The password of the superuser `postgres`. */
  password: string;
  /** Further settings, as `name=value`: they take precedence over ours. */
  settings?: readonly string[];
  /** Whether clients of this machine connect over a Unix socket, where programs of this machine serve. That takes a quarter less CPU. */
  overSocket?: boolean;
  progress?: Progress;
}

interface Cluster {
  dir: string;
  data: string;
  port: number;
  durable: boolean;
  password: string;
  settings: readonly string[];
  temporary: boolean;
  overSocket: boolean;
  programs: PostgresPrograms;
}

/** Starts Postgres on 127.0.0.1, making its database cluster first when the folder is new. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  if (options.dir !== undefined) return startIn(await postgresFolder(options.dir), false, options);
  const folder = await temporaryPostgresFolder('postgres');
  const release = guard({ folder }); // until the server has its own guard
  try {
    return await startIn(folder, true, options);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    release();
  }
}

async function startIn(folder: string, temporary: boolean, options: PostgresOptions): Promise<Postgres> {
  const { password, durable, port, progress, settings = [], overSocket = false } = options;
  const data = join(folder, 'data');
  await makeFolder(folder);
  const user = await postgresUser(data);
  const programs = await postgresPrograms({ folder, user, progress });
  if (await isEmpty(data)) {
    progress?.(`making a Postgres database cluster in ${folder}`);
    await createCluster(programs, { data, password, durable, user });
  }
  const cluster = {
    dir: folder,
    data,
    durable,
    password,
    settings,
    temporary,
    programs,
    overSocket: overSocket && maySocket(data, programs),
  };
  return onPort(port, (port) => Postgres.start({ ...cluster, port }));
}

/** A container shows no sockets to its machine, and the path of a socket has at most some hundred characters. */
const maySocket = (data: string, { listenAddress }: PostgresPrograms) =>
  listenAddress === '127.0.0.1' && process.platform !== 'win32' && data.length < 80;

export class Postgres extends StartedServer<Cluster> {
  static async start(cluster: Cluster): Promise<Postgres> {
    const postgres = new Postgres(cluster, await begin(cluster), logOf(cluster));
    try {
      postgres.version = await openedServer(postgres.url, cluster);
      return postgres;
    } catch (error) {
      await postgres.process.stop();
      throw error;
    }
  }

  get url(): string {
    const { password, port, overSocket, data } = this.site;
    const socket = overSocket ? `?host=${encodeURIComponent(data)}` : '';
    return `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres${socket}`;
  }

  /** Stops the server if it runs, and starts it again on the same port. */
  async restart(): Promise<void> {
    await this.process.stop();
    this.process = await begin(this.site);
  }
}

/** Launches the server, with several attempts: after a kill, orphaned backends hold the shared memory for a moment longer. */
async function begin(cluster: Cluster): Promise<RunningServer> {
  for (let attempt = 1; ; attempt += 1) {
    await clearStaleLock(cluster.programs, cluster.data, cluster.port);
    try {
      return await launch(cluster);
    } catch (error) {
      if (attempt === 8 || !(error instanceof StartFailure) || error.reason !== 'still_ending') throw error;
      await sleep(25 * 2 ** attempt);
    }
  }
}

const logOf = ({ dir }: Cluster): string => join(dir, 'postgres.log');

async function launch(cluster: Cluster): Promise<RunningServer> {
  const { dir, data, port, temporary, programs } = cluster;
  const log = logOf(cluster);
  const args = ['-D', data, ...[...settings(cluster), ...cluster.settings].flatMap((setting) => ['-c', setting])];
  const server = await programs.serve(args, { log, port, removeWithUs: temporary ? dir : undefined });
  for (let waited = 0; !(await saysReady(data, server.ownPid)); waited += 10) {
    if (waited > 60_000) await server.stop();
    if (server.end !== undefined) {
      const outcome = waited > 60_000 ? 'not ready after a minute' : server.end;
      await server.stop();
      throw new StartFailure({ server: 'Postgres', dir, port }, await logTail(log, server.logStart), outcome);
    }
    await sleep(10);
  }
  return server;
}

function settings({ port, durable, data, overSocket, programs }: Cluster): string[] {
  return [
    `port=${port}`,
    `listen_addresses=${programs.listenAddress}`,
    `unix_socket_directories=${overSocket ? data : ''}`,
    'max_connections=200',
    'shared_buffers=64MB',
    'jit=off',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(durable ? DURABLE : FAST),
  ];
}

/**
 * After a crash the server first has all its files written to the disk. Written one by one, that took 1.4 of the 1.8 seconds that the
 * server was away. Written as a whole file system, which only Linux can do, it takes a moment.
 */
const RECOVERY = process.platform === 'linux' ? ['recovery_init_sync_method=syncfs'] : [];

/** Settings of a durable server. `wal_buffers` is that of a deployment; with less, clients that write much wait for the disk. */
const DURABLE = ['wal_buffers=16MB', ...RECOVERY];

/** Settings for tests, which open thousands of connections and have no secret passwords. */
const FAST = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'scram_iterations=1',
  'wal_keep_size=512MB', // a test looks for clear text in everything that was written
  'autovacuum=off',
  'track_counts=off', // nobody reads the counters without a vacuum
  'update_process_title=off',
  // Everything lies in memory: handing a read to another process, or writing pages ahead of need, only costs CPU.
  'io_method=sync',
  'bgwriter_lru_maxpages=0',
  'checkpoint_timeout=1h',
];

/**
 * Returns the version of a server. Closes the databases that every server has: anybody may connect to these, and the role of a service has
 * no business there.
 */
async function openedServer(url: string, { dir }: Cluster): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    await client.query('revoke all on database postgres, template1 from public');
    return rows[0]?.server_version ?? '';
  } catch (error) {
    if ((error as { code?: string }).code !== '28P01') throw error;
    const mend = 'Give that one, or delete the folder to start empty.';
    throw new Error(`The Postgres in ${dir} was made with another password. ${mend}`, { cause: error });
  } finally {
    await client.end();
  }
}
