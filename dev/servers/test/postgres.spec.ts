import { once } from 'node:events';
import { existsSync, lstatSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chosenDriver, freePort, postgresFolder, startPostgres, type PostgresOptions } from '@codase/servers';
import { command } from '../src/command.ts';
import { installedPackage, postgresBinaries } from '../src/postgres-binaries.ts';
import { isPostgres } from '../src/postgres-data.ts';
import { isRoot, postgresUser } from '../src/system-user.ts';
import { afterwards, undoAfterEach } from '@codase/testing/undo-after-each';
import { query, scratchFolder } from './scratch.ts';

undoAfterEach();

const password = 'p@ss word/1';
const inContainers = chosenDriver(process.env) === 'containers';

async function start(options: Partial<PostgresOptions> = {}) {
  const postgres = await startPostgres({ durable: false, password, ...options });
  afterwards(() => postgres.stop());
  return postgres;
}

describe('a temporary Postgres', () => {
  it('serves only 127.0.0.1, with a password, in UTF-8, and without fsync', async () => {
    const postgres = await start();
    const shown = async (name: string) => Object.values((await query(postgres.url, `show ${name}`))[0] ?? {})[0];

    expect(postgres.version).toMatch(/^18\./);
    // A container listens on all of its addresses, and is published on 127.0.0.1 alone.
    expect(await shown('listen_addresses')).toBe(inContainers ? '*' : '127.0.0.1');
    expect(await shown('unix_socket_directories')).toBe('');
    expect(await shown('fsync')).toBe('off');
    expect(await shown('server_encoding')).toBe('UTF8');
    expect(
      await query(postgres.url, `select lower('Ä') as low, array(select * from unnest('{b,a,B,ä}'::text[]) t order by t) as sorted`),
    ).toEqual([{ low: 'ä', sorted: ['B', 'a', 'b', 'ä'] }]);
    const stranger = postgres.url.replace(encodeURIComponent(password), 'wrong');
    await expect(query(stranger, 'select 1')).rejects.toThrow('password authentication failed');
  });

  it('runs beside another server, and leaves nothing behind when it is stopped', async () => {
    const other = process.env.CODASE_TEST_POSTGRES_URL!;
    const postgres = await start();
    await query(postgres.url, 'create table mine (id int)');
    await expect(query(other, 'select * from mine')).rejects.toThrow('does not exist');

    await postgres.stop();

    expect(existsSync(postgres.dir)).toBe(false);
    expect(await postgres.exited).toBe('exit code 0');
    expect(await query(other, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('stops, and its folder is removed, when the process that started it is killed', async () => {
    const servers = new URL('../dist/index.js', import.meta.url);
    const script = `
      const { startPostgres } = await import(${JSON.stringify(servers.href)});
      const { pid, dir } = await startPostgres({ durable: false, password: 'x' });
      process.stdout.write(JSON.stringify({ pid, dir }), () => process.kill(process.pid, 'SIGKILL'));`;

    const { output } = await command(process.execPath, ['--input-type=module', '-e', script], { seconds: 30 });
    const { pid, dir } = JSON.parse(output) as { pid: number; dir: string };

    expect(await eventually(async () => !existsSync(dir) && !(await isPostgres(pid)))).toBe(true);
  });
});

describe('a durable Postgres', () => {
  let dir: string;

  beforeAll(async () => {
    dir = await passableFolder();
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('keeps committed rows when it is killed', async () => {
    const postgres = await start({ dir, durable: true });
    await query(postgres.url, 'create table kept as select 42 as answer');

    postgres.kill();
    expect(await postgres.exited).toBe('ended by SIGKILL');
    await postgres.restart();

    expect(await query(postgres.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(await query(postgres.url, 'show fsync')).toEqual([{ fsync: 'on' }]);
  });

  it('starts when another program has the process id of a killed server', async () => {
    const killed = await start({ dir });
    killed.kill();
    await killed.exited;
    const lock = join(killed.dir, 'data/postmaster.pid');
    await writeFile(lock, (await readFile(lock, 'utf8')).replace(/^\d+/, String(process.pid)));

    const next = await start({ dir });

    expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('cannot be started twice: the error names the running process', async () => {
    const first = await start({ dir });

    await expect(start({ dir })).rejects.toThrow(`process ${first.pid} is already serving it`);
  });

  it('refuses a password other than the one it was created with', async () => {
    await (await start({ dir })).stop();

    const other = start({ dir, password: 'another' });

    await expect(other).rejects.toThrow(/was made with another password\. Give that one, or delete the folder/);
  });

  it('keeps the given port after a restart', async () => {
    const port = await freePort();
    const postgres = await start({ dir, port });
    await postgres.restart();

    expect(new URL(postgres.url).port).toBe(String(port));
  });

  it('reports that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    afterwards(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    await expect(start({ dir, port })).rejects.toThrow(`port ${port} is taken by another program. Stop that program or`);
  });

  it('reports damaged data, and leaves the other files untouched', async () => {
    await (await start({ dir })).stop();
    await rm(join(dir, 'data/global/pg_control'));

    const message = /is damaged\. Restore the folder from a backup, or delete it to start empty\.\nThe last lines of its log:.*pg_control/s;
    await expect(start({ dir })).rejects.toMatchObject({ reason: 'damaged', message: expect.stringMatching(message) });
    expect(existsSync(join(dir, 'data/PG_VERSION'))).toBe(true);
  });
});

describe('the user that runs Postgres', () => {
  it('can reach the data folder: for root it is not in a private folder', async () => {
    const folder = await scratchFolder();
    const postgres = await start({ dir: join(folder, 'postgres') });
    afterwards(() => removeStandIn(postgres.dir));

    expect(postgres.dir).toBe(await postgresFolder(join(folder, 'postgres')));
    expect(dirname(postgres.dir)).toBe(isRoot() ? '/var/lib/company-data-service' : folder);
    expect((await stat(join(postgres.dir, 'data'))).uid).not.toBe(0);
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('can run the programs: they are copied out of a private checkout, with their symbolic links', async () => {
    const { root, version } = await installedPackage();
    const checkout = join(await scratchFolder(), 'package');
    await cp(root, checkout, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() && !path.endsWith('share') });
    const folder = await passableFolder();
    afterwards(() => rm(folder, { recursive: true, force: true }));
    const user = await postgresUser('');

    const { postgres } = await postgresBinaries({ folders: ['/dev/null/nowhere', folder], user }, { root: checkout, version });

    expect(postgres.startsWith(isRoot() ? folder : checkout)).toBe(true);
    expect((await command(postgres, ['--version'], { seconds: 5, user, cwd: '/' })).output).toMatch(/^postgres \(PostgreSQL\) 18/);
  });
});

/** A folder that every user can pass through. */
async function passableFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'codase-test-'));
  await chmod(folder, 0o711);
  return folder;
}

/** Removes the stand-in, and the folder of all stand-ins when none is left in it. */
async function removeStandIn(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await rmdir(dirname(folder)).catch(() => undefined);
}

/** Whether the condition becomes true within ten seconds. */
async function eventually(condition: () => Promise<boolean>): Promise<boolean> {
  for (let waited = 0; waited < 10_000; waited += 50) {
    if (await condition()) return true;
    await sleep(50);
  }
  return false;
}
