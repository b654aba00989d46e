import { eventually, testDatabase, World, type Person, type TestDatabase } from '@cds/testing';
import { joinShop, setScene, shopConnection } from '@cds/testing/stack';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** The example as it runs: a process of its own, with the rights of an internal service and an empty database. */
describe('the example service', () => {
  let world: World;
  let database: TestDatabase;
  let pool: pg.Pool;
  let example: ChildProcess;
  let output = '';
  let ana: Person;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us', 'gateway', 'feed-consumer', 'decryptor'] });
    ana = world.person('ANA');
    await setScene({ person: (code) => world.person(code), company: () => world.acme });
    database = await testDatabase();
    pool = new pg.Pool({ connectionString: database.owner, max: 2 });
    start();
  }, 120_000);
  afterAll(async () => {
    await stop();
    await pool?.end();
    await database?.drop();
    await world?.close();
  });

  function start(): void {
    const { url, user, password } = world.internalAddress;
    const bus = { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password };
    example = spawn(process.execPath, [MAIN], { env: { PATH: process.env.PATH, ...bus, DATABASE_URL: database.owner, SERVICE: 'shop' } });
    for (const stream of [example.stdout!, example.stderr!]) stream.on('data', (text: Buffer) => (output += text));
  }
  async function stop(): Promise<number | null> {
    if (!example || example.exitCode !== null) return example?.exitCode ?? null;
    const exit = once(example, 'exit');
    example.kill('SIGTERM');
    await exit;
    return example.exitCode;
  }
  const tells = (line: string) => eventually(async () => (output.includes(`${line}\n`) ? true : undefined));
  /** The rows once one of them has that value: a line is told a moment before its row is committed. */
  const kept = (slug: string, value: unknown) =>
    eventually(async () => {
      const rows = await fields();
      return rows[slug] === value ? rows : undefined;
    });
  const fields = async () => {
    const query = 'select slug, value from customer_field where person_id = $1';
    const { rows } = await pool.query<{ slug: string; value: unknown }>(query, [ana.user_id]);
    return Object.fromEntries(rows.map(({ slug, value }) => [slug, value]));
  };

  it('takes in who is connected already', async () => {
    await tells('Ana Lind is a customer: first_name Ana, email ana@lind.example, phone +46 70 174 06 05');
    expect(await kept('first_name', 'Ana')).toEqual({ email: 'ana@lind.example', first_name: 'Ana', phone: '+46 70 174 06 05' });
  });

  it('makes a row and a line of an edit', async () => {
    await ana.edits('email', 'ana@new.example');

    await tells('Ana Lind changed email: ana@new.example');
    expect(await kept('email', 'ana@new.example')).toEqual({ email: 'ana@new.example', first_name: 'Ana', phone: '+46 70 174 06 05' });
  });

  it('forgets what is no longer shared, and learns it again', async () => {
    const connection = (await shopConnection(ana))!;
    await ana.drops(connection, 'phone');
    await tells('Ana Lind no longer shares phone');
    expect(await kept('phone', undefined)).toEqual({ email: 'ana@new.example', first_name: 'Ana' });

    await ana.declines(connection, 'phone');
    await tells('Ana Lind does not want to share phone');

    await ana.shares(connection, { phone: '+46 70 174 06 99' });
    await tells('Ana Lind shares phone: +46 70 174 06 99');
    expect(await kept('phone', '+46 70 174 06 99')).toMatchObject({ email: 'ana@new.example' });
  });

  it('hears after a stop what happened meanwhile', async () => {
    expect(await stop()).toBe(0);
    await ana.edits('first_name', 'Anna');
    start();

    await tells('Ana Lind changed first_name: Anna');
  });

  it('forgets who leaves, and takes them in when they come back', async () => {
    await ana.disconnects((await shopConnection(ana))!);
    await tells('Ana Lind has left and is forgotten');
    expect(await kept('email', undefined)).toEqual({});

    await joinShop(ana);
    await tells('Ana Lind is a customer: first_name Anna, email ana@new.example, phone +46 70 174 06 05');
  });
});
