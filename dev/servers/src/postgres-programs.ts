import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command, type CommandResult } from './command.ts';
import { chosenDriver, imageProblem, isRootless, postgresImage } from './containers.ts';
import { logTail } from './log-file.ts';
import { postgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { PROGRAMS_FOLDER } from './postgres-folder.ts';
import type { Progress } from './progress.ts';
import type { RunningServer } from './running-server.ts';
import { ServerContainer, servingContainer } from './server-container.ts';
import { ServerProcess } from './server-process.ts';
import { isRoot, type SystemUser } from './system-user.ts';

/** The programs that make a database cluster and serve it: of this machine, or of an image. */
export interface PostgresPrograms {
  /** The address to listen on so that a client can connect at 127.0.0.1 of this machine. */
  listenAddress: '127.0.0.1' | '*';
  initdb(args: readonly string[]): Promise<CommandResult>;
  serve(args: readonly string[], run: PostgresRun): Promise<RunningServer>;
  /** The container that serves the folder now, in words; only the programs of an image can find this out. */
  servingContainer?(): Promise<string | undefined>;
}

interface PostgresRun {
  log: string;
  port: number;
  removeWithUs?: string | undefined;
}

interface ProgramsOptions {
  folder: string;
  user?: SystemUser | undefined;
  progress?: Progress | undefined;
  env?: NodeJS.ProcessEnv;
}

/** The signals for a fast shutdown, an immediate shutdown, and none at all. */
const SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const;

/** The programs that CODASE_INFRA asks for. Otherwise those that npm installed or, where these do not run, those of an image. */
export async function postgresPrograms(options: ProgramsOptions): Promise<PostgresPrograms> {
  const { folder, user, progress, env = process.env } = options;
  const driver = chosenDriver(env);
  if (driver === 'containers') return containerPrograms(options);
  const folders = isRoot() ? [PROGRAMS_FOLDER, folder] : [folder];
  const own = await postgresBinaries({ folders, user, progress }).catch((error: Error) => error);
  if (driver === undefined && !(await canRun(own, user))) {
    const contained = await containerPrograms(options).catch((error: Error) => error);
    if (!(contained instanceof Error)) return contained;
    if (own instanceof Error) own.cause = contained; // the own fault is to be mended; its cause says why Docker cannot help
  }
  if (own instanceof Error) throw own;
  return machinePrograms(own, user);
}

/** Whether the programs run here. On a system without glibc they are installed and do not run. */
async function canRun(own: PostgresBinaries | Error, user?: SystemUser): Promise<boolean> {
  return !(own instanceof Error) && (await command(own.postgres, ['--version'], { seconds: 60, cwd: '/', user })).ok;
}

function machinePrograms({ initdb, postgres }: PostgresBinaries, user?: SystemUser): PostgresPrograms {
  return {
    listenAddress: '127.0.0.1',
    initdb: (args) => command(initdb, args, { seconds: 120, cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C' }, user }),
    serve: (args, { log, removeWithUs }) => ServerProcess.launch({ file: postgres, args, log, user, signals: SIGNALS, removeWithUs }),
  };
}

/** The programs of an image. Its entry point is not used: the folder, its cluster and its settings are the same on either driver. */
async function containerPrograms({ folder, user = ownUser(), progress, env = process.env }: ProgramsOptions): Promise<PostgresPrograms> {
  const image = postgresImage(env);
  const problem = await imageProblem(image, progress);
  if (problem) {
    throw new Error(
      `Postgres cannot run in a container of ${image}: ${problem}. Start Docker and pull the image, or set CODASE_INFRA=binary, ` +
        'or DATABASE_URL to a running Postgres.',
    );
  }
  if (!isRoot() && (await isRootless())) {
    throw new Error(
      'A Docker that runs without root cannot give Postgres a folder of yours: set CODASE_INFRA=binary, or DATABASE_URL to a running ' +
        'Postgres.',
    );
  }
  const passwd = join(folder, 'container_passwd'); // initdb wants a name for its user
  await writeFile(passwd, `root:x:0:0::/root:/bin/sh\ncodase:x:${user.uid}:${user.gid}::/:/bin/sh\n`, { mode: 0o644 });
  const run = { image, folder, mounts: { '/etc/passwd': passwd }, user, signals: SIGNALS };
  return {
    listenAddress: '*',
    async initdb(args) {
      const log = join(folder, 'initdb.log');
      const made = await ServerContainer.launch({ ...run, entrypoint: ['initdb'], args, log });
      const exit = await made.exited;
      await made.stop();
      const output = await logTail(log, made.logStart);
      return { ok: exit === 'exit code 0', output, problem: exit === 'exit code 0' ? '' : output || exit };
    },
    async serve(args, { log, port, removeWithUs }) {
      // The rules of the cluster let in only 127.0.0.1, and clients come from outside the container.
      const rules = join(folder, 'container_hba.conf');
      await writeFile(rules, 'host all all all scram-sha-256\n', { mode: 0o644 });
      const served = [...args, '-c', `hba_file=${rules}`];
      return ServerContainer.launch({ ...run, entrypoint: ['postgres'], args: served, port, log, removeWithUs });
    },
    servingContainer: () => servingContainer(folder),
  };
}

const ownUser = (): SystemUser => ({ uid: process.getuid!(), gid: process.getgid!() });
