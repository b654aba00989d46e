import { account, accountClients, connections, OPERATOR, services, webhooks, type Request } from '@cds/contracts';
import { cloneDatabase, copyDatabaseInUse, dropDatabase } from '@cds/servers';
import { ROOT } from '@cds/stack';
import { eventually, World } from '@cds/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type NewService = Request<typeof services.createService>['body'];

const COMMAND = join(ROOT, 'bundle/operator.mjs');
const DATABASES = ['front_door', 'region_eu'] as const;
const UNITS = ['front-door', 'region-eu'] as const;

/** The page docs/operations/backup-and-restore.md, done on a stack that runs. */
describe('a backup that is made while the stack runs', () => {
  const admin = process.env['CDS_TEST_POSTGRES_URL']!;
  let world: World;
  let folder: string;
  let env: Record<string, string>;
  let audit: string;
  let service: string;
  let webhook: string;
  let connection: string;
  beforeAll(async () => {
    world = await World.open({ processes: UNITS, units: UNITS });
    folder = mkdtempSync(join(tmpdir(), 'cds-backup-'));
    audit = join(folder, 'audit.jsonl');
    const { url: NATS_URL, password: NATS_PASSWORD } = world.addressOf('platform-operator');
    env = { NATS_URL, NATS_PASSWORD };
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world?.close();
    for (const name of DATABASES) await dropDatabase(admin, backupOf(name));
  });

  const nameOf = (database: (typeof DATABASES)[number]) => new URL(world.databaseUrl(database)).pathname.slice(1);
  const backupOf = (database: (typeof DATABASES)[number]) => `${nameOf(database)}_backup`;
  const shop = () => ({ id: world.shop.service_id! });
  const isRefused = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: { key?: string }) => error.key,
    );

  it('copies each database, and the services go on', async () => {
    const { acme } = world;
    connection = (await world.person('ANA').connections.connects('ACME/SHOP')).id;
    webhook = (await acme.asks(webhooks.createWebhook, { params: shop(), body: { url: 'https://hooks.acme.example/in' } })).id;
    const { encrypted_private_key } = await acme.asks(account.readAccountKeys, {});
    const keys = { public_key: acme.public_key, encrypted_private_key } as Pick<NewService, 'public_key' | 'encrypted_private_key'>;
    service = (await acme.asks(services.createService, { body: { name: 'Club', admin_email: 'club@acme.example', ...keys } })).id;

    for (const database of DATABASES) await copyDatabaseInUse(admin, nameOf(database), backupOf(database));

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
    for (const database of DATABASES) {
      await dropDatabase(admin, nameOf(database));
      await cloneDatabase(admin, backupOf(database), nameOf(database));
    }
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
      services_deleted: [service],
      webhooks_deleted: [webhook],
      connections_ended: [connection],
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
    expect(await isRefused(automation.getsToken())).toBe('oauth.invalid_client');
    expect(await isRefused(boltShop.getsToken())).toBe('oauth.invalid_client');
    expect(await isRefused(world.person('BEN').signsIn())).toBe('oauth.access_denied');
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
