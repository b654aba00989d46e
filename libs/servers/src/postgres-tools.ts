import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** The programs that dump a database into a file and restore it, if the PATH has ones that are not older than the server. */
export interface PostgresTools {
  dump(ownerUrl: string, file: string): Promise<void>;
  /** Into a database that is empty: what is partitioned cannot be dropped piece by piece, as `--clean` would. */
  restore(ownerUrl: string, file: string): Promise<void>;
}

/** Undefined where there are none: `pg_dump` refuses a server that is newer than itself, and the Postgres of npm comes without it. */
export async function findPostgresTools(adminUrl: string): Promise<PostgresTools | undefined> {
  const majors = await Promise.all(['pg_dump', 'pg_restore'].map(majorOf));
  const server = await serverMajor(adminUrl);
  if (!majors.every((major) => major !== undefined && major >= server)) return undefined;
  return {
    async dump(ownerUrl, file) {
      await run('pg_dump', ['--format=custom', `--file=${file}`, ownerUrl]);
    },
    async restore(ownerUrl, file) {
      await run('pg_restore', ['--exit-on-error', '--single-transaction', `--dbname=${ownerUrl}`, file]);
    },
  };
}

const majorOf = (program: string): Promise<number | undefined> =>
  run(program, ['--version']).then(
    ({ stdout }) => Number(/ (\d+)/.exec(stdout)?.[1]),
    () => undefined,
  );

async function serverMajor(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ major: number }>(`select current_setting('server_version_num')::int / 10000 as major`);
    return rows[0]!.major;
  } finally {
    await client.end();
  }
}
