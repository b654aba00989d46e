import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { findNatsServer, startNats, startPostgres, type Postgres } from '@codase/servers';
import { afterwards, undoAfterEach } from '@codase/testing/undo-after-each';
import { imageProblem, natsImage, postgresImage } from '../src/containers.ts';
import { query, scratchFolder } from './scratch.ts';

undoAfterEach();

const password = 'only-for-tests';

/** Why this machine cannot run the servers in containers; undefined when it can. */
const problem = (await imageProblem(natsImage(process.env))) ?? (await imageProblem(postgresImage(process.env)));

function useDriver(driver: string): void {
  const { CODASE_INFRA } = process.env;
  process.env.CODASE_INFRA = driver;
  afterwards(() => {
    if (CODASE_INFRA === undefined) delete process.env.CODASE_INFRA;
    else process.env.CODASE_INFRA = CODASE_INFRA;
  });
}

async function start(dir?: string): Promise<Postgres> {
  const postgres = await startPostgres({ durable: dir !== undefined, password, ...(dir && { dir }) });
  afterwards(() => postgres.stop());
  return postgres;
}

const find = async () => findNatsServer({ cacheDir: await scratchFolder(), env: { ...process.env, CODASE_INFRA: 'containers' } });

function testsWithDocker(): void {
  it('nats-server serves on 127.0.0.1 and restarts after it is killed', async () => {
    const server = await find();
    const config = { accounts: { SUITE: { jetstream: true, users: [{ user: 'a', password: 'b' }] } } };
    const nats = await startNats(server, { durable: false, config });
    afterwards(() => nats.stop());

    nats.kill();
    expect(await nats.exited).toBe('ended by SIGKILL');
    await nats.restart();

    const connection = await connect({ servers: nats.url, user: 'a', pass: 'b' });
    expect(connection.info?.jetstream).toBe(true);
    await connection.close();
    await nats.stop();
    expect(existsSync(nats.dir)).toBe(false);
  });

  it('Postgres keeps committed rows when it is killed, and the binary driver can serve the same folder', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'codase-test-'));
    await chmod(dir, 0o711); // under root, Postgres runs as another user, who must be able to enter
    afterwards(() => rm(dir, { recursive: true, force: true }));
    useDriver('containers');
    const contained = await start(dir);
    await query(contained.url, 'create table kept as select 42 as answer');

    contained.kill();
    expect(await contained.exited).toBe('ended by SIGKILL');
    await contained.restart();
    expect(await query(contained.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await contained.stop();

    useDriver('binary');
    const program = await start(dir);
    expect(await query(program.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('a folder that a container serves cannot be served a second time, by either driver', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'codase-test-'));
    await chmod(dir, 0o711);
    afterwards(() => rm(dir, { recursive: true, force: true }));
    useDriver('containers');
    await start(dir);

    await expect(start(dir)).rejects.toThrow(/(process \d+|container \w+) is already serving it/);
    useDriver('binary');
    await expect(start(dir)).rejects.toThrow('a container (or one that was killed; a start with CODASE_INFRA=containers clears that up)');
  });
}

function testsWithoutDocker(): void {
  it('a start without Docker says what is missing and how to fix it', async () => {
    useDriver('containers');

    await expect(find()).rejects.toThrow(/^No nats-server is to be had\. Tried:\n {2}container: \S+: .+\nPut nats-server 2\.12/);
    await expect(start()).rejects.toThrow(
      /^Postgres cannot run in a container of \S+: .+\. Start Docker and pull the image, or set CODASE_INFRA=binary, or DATABASE_URL/s,
    );
  });
}

/** The machine decides which of the two groups of tests runs. */
describe(`servers in containers${problem === undefined ? '' : ` (not on this machine: ${problem})`}`, () => {
  if (problem === undefined) testsWithDocker();
  else testsWithoutDocker();
});
