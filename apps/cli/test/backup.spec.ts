import { account, accountClients, connections, OPERATOR, services, webhooks, type Request } from '@cds/contracts';
import { cloneDatabase, copyDatabaseInUse, dropDatabase, findPostgresTools, recreateDatabase, type PostgresTools } from '@cds/servers';
import { openDatabase } from '@cds/runtime/db';
import { ROOT } from '@cds/stack';
import { eventually, everyRow, TestDatabases, World } from '@cds/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type NewService = Request<typeof services.createService>['body'];

const COMMAND = join(ROOT, 'bundle/operator.mjs');
const DATABASES = ['front_door', 'region_eu'] as const;
const SUITE_DATABASES = ['feed_consumer', 'twofa'] as const;

type Database = Record<'owner' | 'app', string>;
const UNITS = ['front-door', 'region-eu'] as const;

/** The page docs/operations/backup-and-restore.md, done on a stack that runs. */
describe('a backup that is made while the stack runs', () => {
  const admin = process.env['CDS_TEST_POSTGRES_URL']!;
  let world: World;
  let suite: TestDatabases;
  let tools: PostgresTools | undefined;
  let folder: string;
  let env: Record<string, string>;
  let audit: string;
  let service: string;
  let webhook: string;
  let connection: string;
  let challenge: { challenge_id: string };
  beforeAll(async () => {
    world = await World.open({ processes: [], units: UNITS });
    folder = mkdtempSync(join(tmpdir(), 'cds-backup-'));
    suite = await TestDatabases.open(admin, ['feed-consumer', 'twofa']);
    tools = await findPostgresTools(admin);
    audit = join(folder, 'audit.jsonl');
    const { url: NATS_URL, password: NATS_PASSWORD } = world.addressOf('platform-operator');
    env = { NATS_URL, NATS_PASSWORD };
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    for (const database of backups) await dropDatabase(admin, backupOf(database));
    await world?.close();
    await suite?.drop();
  });

  const ofPlatform = (name: (typeof DATABASES)[number]): Database => ({
    owner: world.ownerDatabaseUrl(name),
    app: world.databaseUrl(name),
  });
  const nameOf = ({ owner }: Database) => new URL(owner).pathname.slice(1);
  const backupOf = (database: Database) => `${nameOf(database)}_backup`;
  const fileOf = (database: Database) => join(folder, `${nameOf(database)}.dump`);
  const backups: Database[] = [];
  /** With pg_dump where there is one that fits the server, else as a copy on the server: the two ways that the page names. */
  const backsUp = async (database: Database) => {
    if (tools) return tools.dump(database.owner, fileOf(database));
    backups.push(database);
    await copyDatabaseInUse(admin, nameOf(database), backupOf(database));
  };
  const restores = async (database: Database) => {
    if (tools) {
      await recreateDatabase(admin, nameOf(database));
      return tools.restore(database.owner, fileOf(database));
    }
    await dropDatabase(admin, nameOf(database));
    await cloneDatabase(admin, backupOf(database), nameOf(database));
  };
  const asOwner = async ({ owner: url }: Database, statements: string) => {
    const owner = await openDatabase({ url, name: 'backup-test', pool: 1 });
    await owner.query(statements);
    await owner.destroy();
  };
  const shop = () => ({ id: world.shop.service_id! });
  const isRefused = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: { key?: string }) => error.key,
    );

  it('copies each database, and the services go on', async () => {
    const { acme } = world;
    connection = (await world.person('ANA').connections.connects('ACME/SHOP')).id;
    const ana = world.person('ANA');
    await ana.phone.enrols(world.shop);
    challenge = await world.shop.challenges.raises(ana);
    await ana.phone.approves(challenge);
    webhook = (await acme.asks(webhooks.createWebhook, { params: shop(), body: { url: 'https://hooks.acme.example/in' } })).id;
    const { encrypted_private_key } = await acme.asks(account.readAccountKeys, {});
    const keys = { public_key: acme.public_key, encrypted_private_key } as Pick<NewService, 'public_key' | 'encrypted_private_key'>;
    service = (await acme.asks(services.createService, { body: { name: 'Club', admin_email: 'club@acme.example', ...keys } })).id;

    for (const name of DATABASES) await backsUp(ofPlatform(name));

    const { items } = await eventually(() => acme.asks(services.listServices, { query: {} }).catch(() => undefined));
    expect(items.map(({ id }) => id)).toContain(service);
  });

  it('hands out the audit to a file, and goes on from its cursor without a row twice', async () => {
    const { acme, automation } = world;
    await world.person('ANA').connections.disconnects({ id: connection } as never);
    await acme.asks(webhooks.deleteWebhook, { params: { ...shop(), webhookId: webhook } });
    await acme.asks(services.deleteService, { params: { id: service } });
    await acme.asks(accountClients.deleteAccountClient, { params: { id: automation.client_id } });
    const bus = await world.operator('platform');
    await bus.request(OPERATOR.setClientDisabled, {}, { client_id: world.boltShop.client_id, disabled: true });
    await bus.request(OPERATOR.setAccountDisabled, {}, { user_id: world.person('BEN').user_id, disabled: true });

    const cursor = join(folder, 'cursor');
    const wanted = ['audit', 'export', '--region', 'eu', '--cursor', cursor];
    const first = await operator({}, ...wanted);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(readFileSync(cursor, 'utf8'))).toEqual({ 'front-door': expect.any(String), eu: expect.any(String) });

    const following = begin({}, ...wanted, '--follow');
    await bus.request(OPERATOR.setLevel, {}, { user_id: acme.user_id, level: 'pro' });
    await eventually(async () => following.said.out.includes('level.changed') || undefined);
    following.child.kill('SIGTERM');
    expect(await following.ended).toMatchObject({ code: 0 });
    expect(first.out).not.toContain('level.changed');
    expect(following.said.out).not.toContain('connection.ended');
    writeFileSync(audit, first.out + following.said.out);
  });

  it('does not serve when it came back, and says which command mends it', async () => {
    for (const unit of UNITS) await world.stop(unit);
    for (const name of DATABASES) await restores(ofPlatform(name));
    await expect(world.starts('front-door')).rejects.toThrow('npm run operator -- after-restore');
    await expect(world.starts('region-eu')).rejects.toThrow('npm run operator -- after-restore --region eu');
  });

  it('what was revoked since is revoked again by the command', async () => {
    const DATABASE_URL = world.databaseUrl('front_door');
    const frontDoor = await operator({ DATABASE_URL }, 'after-restore', '--audit', audit, '--json');
    expect(frontDoor).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(frontDoor.out)).toMatchObject({
      was_older: true,
      clients_deleted: [world.automation.client_id],
      clients_disabled: [world.boltShop.client_id],
      accounts_disabled: [world.person('BEN').user_id],
      accounts_with_level: [world.acme.user_id],
    });

    const databases = { DATABASE_URL: world.databaseUrl('region_eu'), FRONT_DOOR_DATABASE_URL: DATABASE_URL };
    const region = await operator(databases, 'after-restore', '--region', 'eu', '--audit', audit, '--json');
    expect(region).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(region.out)).toEqual({
      was_older: true,
      accounts_deleted: [],
      services_deleted: [service],
      webhooks_deleted: [webhook],
      connections_ended: [connection],
      enrolments_revoked: [expect.any(String)],
      challenges_closed: 1,
      accounts_moved: [],
      accounts_lost: [],
      acts_lost: [],
    });
  });

  it('and stays revoked when everything runs again', async () => {
    for (const unit of UNITS) await world.starts(unit);
    const { acme, automation, boltShop } = world;
    await acme.signsIn();

    expect((await acme.asks(webhooks.listWebhooks, { params: shop() })).items).toEqual([]);
    await eventually(
      async () => (await isRefused(acme.asks(services.readService, { params: { id: service } }))) === 'services.not_found' || undefined,
    );
    await world.shop.getsToken();
    expect((await world.shop.asks(connections.listConnections, { query: {} })).items).toEqual([]);
    // Nobody knows whether its outcome was delivered since: it is not delivered once more.
    expect(await isRefused(world.shop.challenges.polls(challenge))).toBe('twofa.result_consumed');
    expect(await isRefused(automation.getsToken())).toBe('oauth.invalid_client');
    expect(await isRefused(boltShop.getsToken())).toBe('oauth.invalid_client');
    expect(await isRefused(world.person('BEN').signsIn())).toBe('oauth.access_denied');
  });

  it.each(SUITE_DATABASES)('of %s comes back as it was, for its service too', async (name) => {
    const database = suite.urls[name];
    const rows = async () => (await everyRow(database.app)).split('\n').toSorted();
    await asOwner(database, `create table kept (row text); insert into kept values ('before')`);
    const before = await rows();

    await backsUp(database);
    await asOwner(database, `insert into kept values ('after')`);
    await restores(database);

    expect(before).toContain('(before)');
    expect(await rows()).toEqual(before);
  });

  it.each([
    [['after-restore', 'eu'], 2, 'It is: after-restore'],
    [['after-restore'], 1, 'DATABASE_URL is not set'],
    [['audit', 'import'], 2, 'It is: audit export'],
    [['audit', 'export', '--format', 'csv'], 2, 'A format is jsonl'],
  ])('%j says what is wrong', async (words, code, message) => {
    expect(await operator({}, ...words)).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
  });

  it('a cursor file that is none is not written over', async () => {
    const cursor = join(folder, 'notes');
    writeFileSync(cursor, 'my notes');
    expect(await operator({}, 'audit', 'export', '--cursor', cursor)).toMatchObject({
      code: 1,
      err: expect.stringContaining('holds no cursors'),
    });
    expect(readFileSync(cursor, 'utf8')).toBe('my notes');
  });

  function begin(given: Record<string, string>, ...words: string[]) {
    const child = spawn(process.execPath, [COMMAND, ...words], { env: { PATH: process.env['PATH'], ...env, ...given } });
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (said.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (said.err += text));
    return { child, said, ended: once(child, 'close').then(([code]: unknown[]) => ({ code, ...said })) };
  }

  const operator = (given: Record<string, string>, ...words: string[]) => begin(given, ...words).ended;
});
