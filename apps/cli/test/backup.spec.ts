import { account, accountClients, connections, customer, OPERATOR, services, webhooks, type Request } from '@codase/contracts';
import { Fault } from '@codase/command-line';
import { migrate, openDatabase, schemaIsCurrent } from '@codase/runtime/db';
import { databaseUrl, dropDatabase } from '@codase/servers';
import { joinShop, ROOT, schemaOf, SHOP_ASKS, following } from '@codase/stack';
import { eventually, everyRow, TestDatabases, testDatabase, World, type Person, type VerificationProvider } from '@codase/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare } from '../src/events.ts';
import { backup } from '../src/databases/backup.ts';
import { owned, type Installed } from '../src/databases/installed-databases.ts';
import type { Manifest } from '../src/databases/manifest.ts';
import { restore } from '../src/databases/restore.ts';
import { upgrade } from '../src/databases/upgrade.ts';
import { run, targetIn } from './run.ts';

type Delegate = Awaited<ReturnType<World['acme']['delegates']['adds']>>;
type NewService = Request<typeof services.createService>['body'];

const COMMAND = join(ROOT, 'bundle/operator.mjs');
const UNITS = ['front-door', 'region-eu'] as const;
const SUITE = ['gateway', 'feed-consumer'] as const;

/** Carries out the page docs/operations/backup-and-restore.md on a running stack. */
describe('backup and restore on a running stack', () => {
  const admin = process.env['CODASE_TEST_POSTGRES_URL']!;
  let world: World;
  let suite: TestDatabases;
  let folder: string;
  let env: Record<string, string>;
  let audit: string;
  let service: string;
  let webhook: string;
  let removed: Delegate;
  let kept: Delegate;
  /** Has read the key of the shop before it was taken back, both after the backup. */
  let dora: { user: Person; delegate: Delegate };
  let connection: string;
  let provider: VerificationProvider;
  /** Revoked by its provider after the backup. */
  let verification: string;
  let challenge: { challenge_id: string };
  /** What the shop knows of Chiara from the events that its handlers received. */
  const known: { values: Record<string, unknown>; reconciled: string[] } = { values: {}, reconciled: [] };
  /** Empty when a pg_dump fits the server, otherwise the option for a copy on the server, as the refusal of the command says. */
  let method: string[];
  const restoredAs: string[] = [];
  /** The URLs by which the services reach the restored databases. */
  let [frontDoor, beside] = ['', ''];
  let chiaras: { before: unknown; after: Record<string, unknown> };
  beforeAll(async () => {
    world = await World.open({ processes: [], units: [...UNITS, ...SUITE] });
    folder = mkdtempSync(join(tmpdir(), 'codase-backup-'));
    suite = await TestDatabases.open(admin, ['flows', 'twofa']);
    audit = join(folder, 'audit.jsonl');
    const { url: NATS_URL, password: NATS_PASSWORD } = world.addressOf('platform-operator');
    env = { NATS_URL, NATS_PASSWORD };
    await world.acme.services.publishesRequest(shop().id, SHOP_ASKS);
    const codase = await world.internalService();
    const chiara = world.person('CHIARA').user_id;
    const note = (kind: string, slug: string, value: unknown, reconciled: boolean) => {
      known.values[slug] = value;
      if (reconciled) known.reconciled.push(`${kind} ${slug}`);
    };
    const once = async (_: unknown, work: (tx: undefined) => Promise<void>) => work(undefined).then(() => true);
    await codase.handle(
      'customers',
      { once },
      {
        field_updated: ({ person_user_id, slug, value }, { reconciled }) =>
          person_user_id === chiara ? note('updated', slug, value, reconciled) : undefined,
        consent_accepted: ({ person_user_id, slug }, { reconciled }) =>
          person_user_id === chiara ? note('accepted', slug, 'shared', reconciled) : undefined,
        field_deleted: ({ person_user_id, slug }, { reconciled }) =>
          person_user_id === chiara ? note('deleted', slug, undefined, reconciled) : undefined,
      },
    );
  });
  afterAll(async () => {
    await world?.close();
    await suite?.drop();
    await dropDatabase(admin, ...restoredAs, ...copies());
    rmSync(folder, { recursive: true, force: true });
  });

  const target = () => targetIn(world);
  const shop = () => ({ id: world.shop.service_id! });
  const manifestIn = (name: string) => JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8')) as Manifest;
  const copies = () =>
    ['platform', 'suite', 'older', 'newer']
      .filter((name) => existsSync(join(folder, name, 'manifest.json')))
      .flatMap((name) => Object.values(manifestIn(name).databases))
      .flatMap(({ copy }) => (copy ? [copy.database] : []));
  const does = async (command: typeof backup, words: string[], databases?: Installed) => {
    const under = run(command, words, { ...target(), ...(databases && { databases: () => databases }) });
    return { code: await under.ended, result: under.results[0]!, said: under.said.join('\n') };
  };
  /** Restores into a new database beside the running one. Returns its name and the outcome of the command. */
  const restores = async (from: string, database: string, options: string[] = [], databases?: Installed) => {
    const into = `r_${database.replace('-', '_')}_${restoredAs.length}_${Date.now()}`;
    restoredAs.push(into);
    return { into, ...(await does(restore, [database, '--from', join(folder, from), '--into', into, ...options], databases)) };
  };
  const isRefused = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: { key?: string }) => error.key,
    );

  it('backs up each database while the services keep serving', async () => {
    const { acme } = world;
    connection = (await joinShop(world.person('ANA'))).id;
    const ana = world.person('ANA');
    await ana.phone.enrols(world.shop);
    challenge = await world.shop.challenges.raises(ana);
    await ana.phone.approves(challenge);
    webhook = (await acme.asks(webhooks.createWebhook, { params: shop(), body: { url: 'https://hooks.acme.example/in' } })).id;
    const { encrypted_private_key } = await acme.asks(account.readAccountKeys, {});
    const keys = { public_key: acme.public_key, encrypted_private_key } as Pick<NewService, 'public_key' | 'encrypted_private_key'>;
    service = (await acme.asks(services.createService, { body: { name: 'Club', admin_email: 'club@acme.example', ...keys } })).id;
    const chiara = world.person('CHIARA');
    await chiara.connections.connects('ACME/SHOP', { first_name: 'Chiara', email: following('email', 'chiara@rossi.example') });
    await chiara.fields.edits('email', 'chiara@first.example');
    await eventually(async () => known.values['email'] as string | undefined);
    [removed, kept] = [await acme.delegates.adds(ana), await acme.delegates.adds(chiara)];
    const user = await world.signsUp({ type: 'person', region: 'eu' });
    dora = { user, delegate: await acme.delegates.adds(user) };
    for (const delegate of [kept, dora.delegate]) await acme.delegates.grants(delegate, shop().id, 'the passphrase');

    provider = await world.registersProvider();
    await user.fields.edits('first_name', 'Dora');
    verification = (await provider.verifies(user, 'first_name', 'Dora')).verification_id;

    method = await fittingMethod();
    const { result } = await does(backup, ['--to', join(folder, 'platform'), ...UNITS, ...method]);

    expect(result).toMatchObject({
      folder: join(folder, 'platform'),
      not_included: { 'stream FEED': expect.stringContaining('resend --lost'), 'stream TURNS': expect.stringContaining('list the turns') },
    });
    const { databases } = manifestIn('platform');
    expect(Object.keys(databases)).toEqual(UNITS);
    expect(databases['region-eu']).toMatchObject({ rows: { 'public.connection': 2 }, migrations: await migrationsOf('region') });
    expect(statSync(join(folder, 'platform')).mode & 0o777).toBe(0o700);
    expect(JSON.stringify(databases)).not.toContain('only-for-tests');
    const listed = await eventually(() => acme.asks(services.listServices, { query: {} }).catch(() => undefined));
    expect(listed.items.map(({ id }) => id)).toContain(service);
  });

  /** Returns the options of a backup that this machine can make: the command itself refuses when there is no fitting pg_dump. */
  async function fittingMethod(): Promise<string[]> {
    const tried = await does(backup, ['--to', join(folder, 'tried'), 'front-door']).catch((error: unknown) => error);
    if (!(tried instanceof Fault)) return [];
    expect(tried.message).toMatch(/^(There is no pg_dump on|pg_dump .* is older than the server).*set PG_BIN to .*--copy\.$/);
    return ['--copy'];
  }

  const migrationsOf = async (kind: 'region' | 'feed-consumer') => (await schemaOf(kind)).migrations.map(({ name }) => name);

  it('refuses to overwrite a backup, and to restore from one that is incomplete', async () => {
    await expect(does(backup, ['--to', join(folder, 'platform')])).rejects.toThrow('is not empty: name a folder');
    await expect(does(restore, ['region-eu', '--from', folder])).rejects.toThrow('has no manifest.json');
    await expect(does(restore, ['feed-consumer', '--from', join(folder, 'platform')])).rejects.toThrow(
      'has no feed-consumer: it has front-door, region-eu.',
    );
  });

  it('exports the audit to a file and continues from its cursor without repeating a row', async () => {
    const { acme, automation } = world;
    await world.person('ANA').connections.disconnects({ id: connection } as never);
    await acme.asks(webhooks.deleteWebhook, { params: { ...shop(), webhookId: webhook } });
    await provider.revokes(verification, world.regionUrl('eu'));
    await acme.delegates.removes(removed);
    await acme.delegates.revokes(kept, shop().id);
    await dora.user.delegations.reads(dora.delegate, shop().id);
    await acme.delegates.grants(dora.delegate, shop().id);
    await acme.asks(services.deleteService, { params: { id: service } });
    await acme.asks(accountClients.deleteAccountClient, { params: { id: automation.client_id } });
    const bus = await world.operator('platform');
    await bus.request(OPERATOR.setClientDisabled, {}, { client_id: world.boltShop.client_id, disabled: true });
    await bus.request(OPERATOR.setAccountDisabled, {}, { user_id: world.person('BEN').user_id, disabled: true });

    const cursor = join(folder, 'cursor');
    const wanted = ['audit', 'export', '--region', 'eu', '--cursor', cursor];
    const older = await openTransaction(suite.urls.twofa.owner);
    const exporting = begin({}, ...wanted);
    await eventually(async () => (await everyRow(world.databaseUrl('region_eu'))).includes('audit.exported') || undefined);
    await older.ends(); // as long as it was open, it held newer rows of all databases back
    const first = await exporting.ended;
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

  it('restores into a new database while the running one keeps serving', async () => {
    const chiara = world.person('CHIARA');
    const before = known.values['email'];
    await chiara.fields.edits('email', 'chiara@later.example');
    const [own] = (await chiara.asks(customer.listCustomerConnections, { query: {} })).items;
    await chiara.connections.shares(own!, { phone: '+39 06 5550 123' });
    await eventually(async () => (known.values['email'] !== before && known.values['phone'] ? true : undefined));
    chiaras = { before, after: { ...known.values } };

    const region = await restores('platform', 'region-eu');

    expect(region).toMatchObject({ code: 0, result: { database: region.into, migrations: [], reconciled: null } });
    expect(region.said).toContain('npm run operator -- after-restore --region eu');
    const rows = await everyRow(databaseUrl(world.databaseUrl('region_eu'), { name: region.into }));
    expect([rows.includes(connection), rows.includes(chiaras.after['email'] as string)]).toEqual([true, false]);
    expect(await chiara.asks(customer.listCustomerConnections, { query: {} })).toMatchObject({ items: [{ id: own!.id }] });
    beside = databaseUrl(world.databaseUrl('region_eu'), { name: region.into });
  });

  it('refuses to restore into a database that is in use', async () => {
    const own = new URL(world.databaseUrl('region_eu')).pathname.slice(1);
    const from = join(folder, 'platform');
    await expect(does(restore, ['region-eu', '--from', from])).rejects.toThrow(`The database ${own} is not empty`);
    await expect(does(restore, ['region-eu', '--from', from, '--into', 'never', '--reconcile'])).rejects.toThrow(
      'region-eu still runs, and would go on with what it has: stop all its replicas',
    );
    await expect(does(restore, ['feed-consumer', '--from', from, '--reconcile'])).rejects.toThrow('has no feed-consumer');
  });

  it('does not start a service on a restored database before after-restore has run, and names that command', async () => {
    const { into } = await restores('platform', 'front-door');
    frontDoor = databaseUrl(world.databaseUrl('front_door'), { name: into });
    for (const unit of UNITS) await world.stop(unit);
    await expect(world.starts('front-door', { DATABASE_URL: frontDoor })).rejects.toThrow('npm run operator -- after-restore');
    await expect(world.starts('region-eu', { DATABASE_URL: beside })).rejects.toThrow('npm run operator -- after-restore --region eu');
  });

  it('revokes again what was revoked since the backup when after-restore runs', async () => {
    const owners = databaseUrl(world.databaseUrl('front_door', 'owner'), { name: new URL(frontDoor).pathname.slice(1) });
    expect(await operator({ DATABASE_URL: frontDoor }, 'after-restore')).toMatchObject({
      code: 1,
      err: expect.stringContaining("name the database with its owner's role"),
    });
    const report = await operator({ DATABASE_URL: owners }, 'after-restore', '--audit', audit, '--json');
    expect(report).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(report.out)).toMatchObject({
      was_older: true,
      clients_deleted: [world.automation.client_id],
      clients_disabled: [world.boltShop.client_id],
      accounts_disabled: [world.person('BEN').user_id],
      accounts_with_level: [world.acme.user_id],
    });

    const databases: Installed = {
      adminUrl: admin,
      databases: [
        owned('front-door', { url: frontDoor }),
        target()
          .databases()
          .databases.find(({ name }) => name === 'region-eu')!,
      ],
    };
    const region = await restores('platform', 'region-eu', ['--reconcile', '--audit', audit], databases);
    beside = databaseUrl(beside, { name: region.into });
    expect(region.said).toContain(`Start the delivery with ${region.into} as the database of eu in DATABASES.`);
    expect(region.said).toContain('events compare --service NAME');
    expect(region.result['reconciled']).toEqual({
      was_older: true,
      accounts_deleted: [],
      services_deleted: [service],
      webhooks_deleted: [webhook],
      connections_ended: [connection],
      enrolments_revoked: [expect.any(String)],
      delegates_removed: [removed.id],
      delegates_accepted: [dora.delegate.id],
      grants_revoked: [expect.stringMatching(/^grant_/)],
      keys_withdrawn: [expect.stringMatching(/^grant_/)],
      keys_read: [expect.stringMatching(/^grant_/)],
      delegates_noted: [],
      verifications_ended: [verification],
      challenges_closed: 1,
      accounts_moved: [],
      accounts_lost: [],
      acts_lost: [],
    });
  });

  it('keeps those revocations in force when all services run again', async () => {
    await world.starts('front-door', { DATABASE_URL: frontDoor });
    await world.starts('region-eu', { DATABASE_URL: beside });
    const { acme, automation, boltShop } = world;
    await acme.signsIn();

    expect((await acme.asks(webhooks.listWebhooks, { params: shop() })).items).toEqual([]);
    const grantsOf = new Map((await acme.delegates.lists()).map(({ id, services: granted }) => [id, granted]));
    expect([...grantsOf.keys()].toSorted()).toEqual([kept.id, dora.delegate.id].toSorted());
    expect(grantsOf.get(kept.id)).toEqual([]);
    expect(grantsOf.get(dora.delegate.id)).toMatchObject([{ has_key: false, key_read_at: expect.any(String) }]);
    await dora.user.signsIn();
    expect((await dora.user.delegations.reads(dora.delegate, shop().id)).key).toBeNull();
    await eventually(
      async () => (await isRefused(acme.asks(services.readService, { params: { id: service } }))) === 'services.not_found' || undefined,
    );
    await world.shop.getsToken();
    expect((await world.shop.asks(connections.listConnections, { query: {} })).items.map(({ id }) => id)).not.toContain(connection);
    // Nobody knows whether the outcome of the challenge was delivered since the backup, so it is not delivered again.
    expect(await isRefused(world.shop.challenges.polls(challenge))).toBe('twofa.result_consumed');
    expect(await isRefused(automation.getsToken())).toBe('oauth.invalid_client');
    expect(await isRefused(boltShop.getsToken())).toBe('oauth.invalid_client');
    expect(await isRefused(world.person('BEN').signsIn())).toBe('oauth.access_denied');
  });

  it("sends the restored values to the company's services once the suite has compared", async () => {
    expect(known.reconciled).toEqual([]);

    await does(compare, []);

    const found = ['updated email', 'deleted phone'];
    await eventually(async () => (found.every((one) => known.reconciled.includes(one)) ? true : undefined));
    expect(known.values).toMatchObject({ email: chiaras.before, phone: undefined });
    await expect(does(compare, ['--service', 'nobody'])).rejects.toMatchObject({ key: 'request.not_found' });
  });

  it("restores the suite's databases with the rows they had", async () => {
    const databases: Installed = {
      adminUrl: admin,
      databases: (['flows', 'twofa'] as const).map((name) => owned(name, { url: suite.urls[name].owner })),
    };
    await asOwner(suite.urls.twofa.owner, `create table kept (row text); insert into kept values ('before')`);
    const before = await everyRow(suite.urls.twofa.app);
    await does(backup, ['--to', join(folder, 'suite'), ...method], databases);
    await asOwner(suite.urls.twofa.owner, `insert into kept values ('after')`);

    const { into } = await restores('suite', 'twofa', [], databases);
    await restores('suite', 'flows', [], databases);

    expect(before).toContain('(before)');
    const after = await everyRow(databaseUrl(suite.urls.twofa.app, { name: into }));
    expect(after.split('\n').toSorted()).toEqual(before.split('\n').toSorted());
  });

  describe('with a database of an earlier release', () => {
    let database: Awaited<ReturnType<typeof testDatabase>>;
    let installed: Installed;
    beforeAll(async () => {
      database = await testDatabase();
      installed = { adminUrl: admin, databases: [owned('feed-consumer', { url: database.owner })] };
      const { migrations } = await schemaOf('feed-consumer');
      await migrate({ url: database.owner, name: 'earlier', migrations: migrations.slice(0, 1) });
    });
    afterAll(() => database?.drop());

    it('migrates the database to this release when it is restored', async () => {
      const [, ...later] = await migrationsOf('feed-consumer');
      await does(backup, ['--to', join(folder, 'older'), ...method], installed);

      const { into, result } = await restores('older', 'feed-consumer', [], installed);

      expect(result).toMatchObject({ database: into, migrations: later });
    });

    it('upgrades the database while it is written to, and the earlier release can still use it', async () => {
      const [earlier, later] = await migrationsOf('feed-consumer');
      const app = await openDatabase({ url: database.app, name: 'earlier-release', pool: 1 });
      const stop = new AbortController();
      let written = 0;
      const writes = async () => {
        for (; !stop.signal.aborted; written += 1) await app.query(`insert into channel (service) values ($1)`, [`service-${written}`]);
      };

      expect(await does(upgrade, ['--check'], installed)).toMatchObject({
        code: 1,
        said: expect.stringContaining(`older than this release: upgrade runs ${later}`),
      });
      const writing = writes();
      expect(await does(upgrade, [], installed)).toMatchObject({ code: 0, result: { databases: [{ missing: [], later: [] }] } });
      const then = written;
      await eventually(async () => (written > then ? true : undefined));
      stop.abort();
      await writing;

      const { migrations } = await schemaOf('feed-consumer');
      expect(await schemaIsCurrent(app, migrations.slice(0, 1))()).toEqual({ note: 'newer than this program' });
      expect([earlier, await app.query('select count(*)::int as count from channel')]).toEqual([earlier, [{ count: written }]]);
      await app.destroy();
    });

    it('refuses to restore a backup that a later release made', async () => {
      await asOwner(database.owner, `insert into migrations (timestamp, name) values (9, 'OfTheFuture9')`);
      expect(await does(upgrade, ['--check'], installed)).toMatchObject({
        code: 0,
        said: expect.stringContaining('of a later release, which only added OfTheFuture9: this one works on it'),
      });
      await does(backup, ['--to', join(folder, 'newer'), ...method], installed);
      await expect(restores('newer', 'feed-consumer', [], installed)).rejects.toThrow('is of a later release, which ran OfTheFuture9');
    });
  });

  /** Opens a transaction that has an id, as every transaction has that writes. */
  const openTransaction = async (url: string) => {
    const database = await openDatabase({ url, name: 'backup-test', pool: 1 });
    const runner = database.createQueryRunner();
    await runner.startTransaction();
    await runner.query('select pg_current_xact_id()');
    return {
      ends: () =>
        runner
          .commitTransaction()
          .then(() => runner.release())
          .then(() => database.destroy()),
    };
  };
  const asOwner = async (url: string, statements: string) => {
    const owner = await openDatabase({ url, name: 'backup-test', pool: 1 });
    await owner.query(statements);
    await owner.destroy();
  };

  it.each([
    [['after-restore', 'eu'], 2, 'It is: after-restore'],
    [['after-restore'], 1, 'DATABASE_URL is not set'],
    [['audit', 'import'], 2, 'It is: audit export'],
    [['audit', 'export', '--format', 'csv'], 2, 'A format is jsonl'],
  ])('rejects the arguments %j with a reason', async (words, code, message) => {
    expect(await operator({}, ...words)).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
  });

  it('does not overwrite a cursor file that contains no cursors', async () => {
    const cursor = join(folder, 'notes');
    writeFileSync(cursor, 'my notes');
    expect(await operator({}, 'audit', 'export', '--region', 'eu', '--cursor', cursor)).toMatchObject({
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
