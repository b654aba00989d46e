import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { createDatabase, databaseUrl, dropDatabase, freePort, launchNats, type NatsServer, type RunningServer } from '@codase/servers';
import { temporaryFolder } from '@codase/servers/temporary-folder';
import { eventually } from '@codase/testing';
import { migrateTwofa } from '@codase/twofa';
import pg from 'pg';
import { ROOT } from '../src/command/root.ts';
import { accountsFile, type BusPlan } from '../src/nats-accounts/accounts-file.ts';

/** Runs the files of `deploy/postgres` and `deploy/nats` on real servers. */
describe('privileges.sql', () => {
  const adminUrl = process.env['CODASE_TEST_POSTGRES_URL']!;
  const id = randomUUID().slice(0, 8);
  const [deployed, developed] = [`deployed_${id}`, `developed_${id}`];
  const rolesOf = (database: string) => ['owner', 'app', 'delivery'].map((role) => `${database}_${role}`);
  const urlOf = (database: string, role: string) =>
    databaseUrl(adminUrl, { name: database, user: `${database}_${role}`, password: 'only-for-tests' });

  const on = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };

  /** Replaces :"name" and removes \if as psql does, because the programs of Postgres for Node have no psql. */
  const asPsqlReadsIt = (text: string, names: Record<string, string>) =>
    text
      .replaceAll(/^\\(if|endif).*$/gm, '')
      .replaceAll(/:"(\w+)"/g, (_, name: string) => pg.escapeIdentifier(names[name]!))
      .replaceAll(/^--.*$/gm, '');

  beforeAll(async () => {
    await on(adminUrl, async (admin) => {
      for (const role of rolesOf(deployed)) await admin.query(`create role ${role} login password 'only-for-tests'`);
      await admin.query(`create database ${deployed} owner ${deployed}_owner`);
    });
    const names = { database: deployed, owner: `${deployed}_owner`, app: `${deployed}_app`, delivery: `${deployed}_delivery` };
    const text = readFileSync(join(ROOT, 'deploy/postgres/privileges.sql'), 'utf8');
    await on(databaseUrl(adminUrl, { name: deployed }), (admin) => admin.query(asPsqlReadsIt(text, names)));
    const passwords = { ownerPassword: 'only-for-tests', appPassword: 'only-for-tests', rolePasswords: { delivery: 'only-for-tests' } };
    await createDatabase(adminUrl, { name: developed, ...passwords });
    for (const database of [deployed, developed]) await migrateTwofa({ url: urlOf(database, 'owner') });
  });
  afterAll(async () => {
    await dropDatabase(adminUrl, deployed, developed);
    await on(adminUrl, async (admin) => {
      for (const role of [...rolesOf(deployed), ...rolesOf(developed)]) await admin.query(`drop role if exists ${role}`);
    });
  });

  /** Which role may do what: in the database, its schema, and all tables and sequences that migrations have made. */
  const privilegesIn = async (database: string) => {
    const { rows } = await on(databaseUrl(adminUrl, { name: database }), (admin) =>
      admin.query<{ what: string }>(`
        with granted as (
          select 'database' as what, datacl as acl from pg_database where datname = current_database()
          union all select 'schema ' || nspname, nspacl from pg_namespace where nspname !~ '^(pg_|information_schema)'
          union all select relkind::text || ' ' || relname, relacl from pg_class
            where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')
          union all select 'default ' || defaclobjtype::text, defaclacl from pg_default_acl
        )
        select what || ': ' || coalesce(grantee::regrole::text, '') || ' ' || privilege_type as what
        from granted, aclexplode(acl) order by 1`),
    );
    return rows.map(({ what }) => what.replaceAll(database, 'x')).filter((what) => !/ (postgres|-) /.test(what));
  };

  it('grants each role the same privileges as in development and in tests', async () => {
    const privileges = await privilegesIn(deployed);

    expect(privileges).toEqual(await privilegesIn(developed));
    expect(privileges).toEqual(expect.arrayContaining(['database: x_delivery CONNECT', expect.stringMatching(/^r \w+: x_app INSERT$/)]));
  });

  it('lets the app role change rows, but no tables', async () => {
    const { rows } = await on(urlOf(deployed, 'owner'), (owner) =>
      owner.query<{ name: string }>(`select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`),
    );
    const [{ name: table } = { name: '' }] = rows.filter(({ name }) => !name.includes('migration'));

    await on(urlOf(deployed, 'app'), async (app) => {
      await app.query(`delete from ${table}`);
      for (const statement of [
        'create table mine (a int)',
        `alter table ${table} add column mine int`,
        `drop table ${table}`,
        `truncate ${table}`,
        'create schema mine',
        `create role mine_${id}`,
      ])
        await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' });
    });
    await expect(on(databaseUrl(urlOf(deployed, 'app'), { name: developed }), async () => {})).rejects.toMatchObject({ code: '42501' });
  });
});

const SINGLE_CORE = { singleCore: true };
const server = JSON.parse(process.env['CODASE_TEST_NATS_SERVER']!) as NatsServer;

/** A container publishes one port, by which no other node reaches it, so with containers there is only one server. */
const [NODES, HOST] = server.kind === 'binary' ? [[0, 1, 2], '127.0.0.1'] : [[0], '0.0.0.0'];

describe(`accounts.conf on ${NODES.length === 1 ? 'a server' : 'a cluster of three'}`, () => {
  const folder = temporaryFolder('nats-accounts');
  const PLAN: BusPlan = { regions: ['eu'], consumers: [], flowServices: ['shop'], planes: ['suite'] };
  const nodes: { process: RunningServer; url: string; said(): string }[] = [];
  const dirOf = (node: number) => join(folder.path, String(node));
  const writeAccounts = (plan: BusPlan) => {
    for (const node of NODES) {
      writeFileSync(
        join(dirOf(node), 'accounts.conf'),
        accountsFile(plan, (user) => `pw-${user}`),
      );
    }
  };
  const signsIn = (node: number, user: string): Promise<NatsConnection> =>
    connect({ servers: nodes[node]!.url, user, pass: `pw-${user}`, inboxPrefix: `_INBOX_${user}`, reconnect: false, timeout: 60_000 });
  const haveSaid = (line: string) => eventually(async () => nodes.every(({ said }) => said().includes(line)) || undefined);

  beforeAll(async () => {
    for (const node of NODES) mkdirSync(dirOf(node));
    writeAccounts(PLAN);
    const ports = await Promise.all([...NODES, ...NODES].map(() => freePort()));
    const [clients, peers] = [ports.slice(0, NODES.length), ports.slice(NODES.length)];
    const routes = peers.map((port) => `nats://127.0.0.1:${port}`);
    for (const node of NODES) {
      const [dir, port, name] = [dirOf(node), clients[node]!, `node-${node}`];
      const config = [
        `server_name: ${name}`,
        `listen: "${HOST}:${port}"`,
        `jetstream { store_dir: ${JSON.stringify(dir)} }`,
        ...(NODES.length > 1 ? [`cluster { name: codase, listen: "${HOST}:${peers[node]}", routes: ${JSON.stringify(routes)} }`] : []),
        `include ./accounts.conf`,
      ];
      writeFileSync(join(dir, 'nats.conf'), config.join('\n'));
      const process = await launchNats({ server: { ...server, ...SINGLE_CORE }, dir, port, name, durable: false, temporary: false });
      nodes.push({ process, url: `nats://127.0.0.1:${port}`, said: () => readFileSync(join(dir, 'nats.log'), 'utf8') });
    }
    await haveSaid('Server is ready');
  });
  afterAll(async () => {
    await Promise.all(nodes.map(({ process }) => process.stop()));
    folder.remove();
  });

  it('applies a new user on SIGHUP on every node, without disconnecting a client', async () => {
    const decryptor = await signsIn(0, 'decryptor');
    await expect(signsIn(NODES.at(-1)!, 'shop-backend')).rejects.toThrow(/authorization/i);

    writeAccounts({ ...PLAN, consumers: [{ user: 'shop-backend', services: ['shop'], groups: ['customers'] }] });
    for (const { process } of nodes) process.signal('SIGHUP');
    await haveSaid('Reloaded server configuration');

    for (const node of NODES) await (await signsIn(node, 'shop-backend')).close();
    await decryptor.flush();
    expect(decryptor.isClosed()).toBe(false);
    expect(decryptor.stats().inMsgs).toBe(0);
    await decryptor.close();
  });
});
