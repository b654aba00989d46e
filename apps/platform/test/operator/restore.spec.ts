import { account, accountClients, FRONT_DOOR, OPERATOR, serviceClient } from '@codase/contracts';
import { ProjectionReader, ProjectionWriter } from '@codase/runtime/bus';
import { execute, many, one, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { cloneDatabase, databaseUrl, dropDatabase } from '@codase/servers';
import { eventually, World } from '@codase/testing';
import { IBAN } from '@codase/testing/operator-field-type';
import type { DataSource } from 'typeorm';
import { refuseRestored } from '../../src/foundation/audit/index.ts';
import { CLIENTS, ClientsStore } from '../../src/access/clients/index.ts';
import { OrphanedClients } from '../../src/access/clients/orphaned-clients.worker.ts';
import type { RestoreReport } from '../../src/kit/after-restore.service.ts';
import { afterRestore } from '../../src/operator/after-restore.service.ts';
import { MODES } from '../../src/foundation/regions/index.ts';
import { ModeSwitch } from '../../src/foundation/regions/modes/mode-switch.service.ts';
import { FIELD_TYPES, FieldTypesStore } from '../../src/services/registry/index.ts';
import { OperatorFieldTypes } from '../../src/services/registry/operator-field-types.service.ts';
import { FRONT_DOOR_ENTITIES } from '../../src/capabilities.ts';

const REMOVED_KEY = JSON.stringify([{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }]);

describe('a front door database restored from an older copy', () => {
  const admin = process.env['CODASE_TEST_POSTGRES_URL']!;
  let world: World;
  let restored: DataSource;
  let backup: string;
  let lost: string;
  let report: RestoreReport;
  beforeAll(async () => {
    world = await World.open({ units: ['forwarder'] }); // the databases exist, and no service is connected to them
    const url = world.databaseUrl('front_door', 'owner');
    const name = new URL(url).pathname.slice(1);
    backup = `${name}_backup`;
    await cloneDatabase(admin, name, backup);
    restored = await openDatabase({ url: databaseUrl(url, { name: backup }), name: 'restored', pool: 2, entities: FRONT_DOOR_ENTITIES });
    for (const unit of ['front-door', 'region-eu'] as const) await world.starts(unit);
  });
  afterAll(async () => {
    await restored?.destroy();
    await dropDatabase(admin, backup);
    await world?.close();
  });

  const restoredClient = (client_id: string) =>
    one<{ epoch: number }>(restored, sql`select epoch, secret_hash, keys, requires_key from client where client_id = ${client_id}`);

  it('is refused by a starting front door when the bus has seen later changes', async () => {
    const bus = await world.operator('platform');
    await expect(refuseRestored(restored, bus, silentLog)).resolves.toBeUndefined();

    const { acme, bolt, shop, automation, boltAutomation } = world;
    await shop.getsToken();
    const rotation = { company_user_id: bolt.user_id, client_id: boltAutomation.client_id, secret_digest: 'x', keep_old_hours: 1 };
    await bus.request(FRONT_DOOR.rotateSecret, { region: 'us' }, rotation);
    await acme.asks(serviceClient.regenerateServiceSecret, { params: { id: shop.service_id! } });
    await acme.asks(accountClients.deleteAccountClient, { params: { id: automation.client_id } });
    lost = (await acme.asks(accountClients.createAccountClient, { body: { name: 'Robot', capabilities: [] } })).client_id;
    await bus.request(OPERATOR.setLevel, {}, { user_id: acme.user_id, level: 'basic' });
    await bus.request(OPERATOR.setMode, {}, { region: 'us', writes_paused: true });
    await bus.request(OPERATOR.putFieldType, {}, IBAN);
    for (const provider_id of ['removed', 'standing']) await world.registersProvider(provider_id);
    await bus.request(OPERATOR.removeVerificationProvider, {}, { provider_id: 'removed' });

    const refused = () =>
      refuseRestored(restored, bus, silentLog).then(
        () => undefined,
        (error: unknown) => error as Error,
      );
    const { message } = await eventually(refused);
    expect(message).toContain('after-restore');
  });

  it('has lost revocations repeated, and those that cannot be repeated reported', async () => {
    const { acme, bolt, shop, automation, boltAutomation } = world;
    // When the copy was made, acme lived in us, and has moved to eu since. Bolt was on its way to eu, and is still in us.
    await execute(restored, sql`update account set region = 'us' where user_id = ${acme.user_id}`);
    await execute(restored, sql`update client set region = 'us' where company_user_id = ${acme.user_id}`);
    // When the copy was made, acme trusted a browser. Nobody knows whether it has forgotten it since.
    await execute(
      restored,
      sql`insert into second_factor (user_id, factor_id, sealed_secrets, enabled_at) values (${acme.user_id}, 'fac_1', 'x', ${world.now})`,
    );
    await execute(
      restored,
      sql`insert into trusted_browser (device_id, user_id, factor_id, token_hash, name, created_at, last_seen_at, expires_at)
          values ('dev_1', ${acme.user_id}, 'fac_1', 'x', 'A browser', ${world.now}, ${world.now}, 'infinity')`,
    );
    // When the copy was made, the client of the shop had a key. Nobody knows whether it was removed since.
    await execute(restored, sql`update client set keys = ${REMOVED_KEY}::jsonb, requires_key = true where client_id = ${shop.client_id}`);
    await execute(
      restored,
      sql`
      insert into region_move (user_id, from_region, to_region, step, started_at, due_at)
      values (${bolt.user_id}, 'us', 'eu', 'copying', now(), 'infinity')`,
    );
    // When the copy was made, codes and a step of a sign-in were under way. Nobody knows whether they were used since.
    await execute(
      restored,
      sql`insert into sign_in_step (step_hash, user_id, password_hash, request_hash, created_at, expires_at)
          values ('x', ${acme.user_id}, 'x', 'x', ${world.now}, 'infinity')`,
    );
    await execute(
      restored,
      sql`insert into email_change (user_id, email, code_hash, created_at, expires_at)
          values (${acme.user_id}, 'new@acme.example', 'x', ${world.now}, 'infinity')`,
    );
    await execute(
      restored,
      sql`insert into deletion_code (user_id, code_hash, mails, mails_since, expires_at)
          values (${acme.user_id}, 'x', 1, ${world.now}, 'infinity')`,
    );
    await execute(
      restored,
      sql`insert into recovery_code (user_id, code_hash, mail_id, mails, mails_since, expires_at)
          values (${acme.user_id}, 'x', 'mail_1', 1, ${world.now}, 'infinity')`,
    );
    report = await afterRestore({ frontDoor: restored, bus: await world.operator('platform') }, new Date());

    expect(report).toMatchObject({
      was_older: true,
      clients_without_secret: [boltAutomation.client_id, shop.client_id],
      clients_without_keys: [shop.client_id],
      clients_deleted: [automation.client_id],
      clients_lost: [lost],
      accounts_with_level: [acme.user_id],
      accounts_moved: [acme.user_id],
      field_types_put: [IBAN.type],
      verification_providers: expect.arrayContaining(['removed', 'standing']),
    });
    expect(
      await many(restored, sql`select provider_id, row -> 'removed' as removed from verification_provider order by provider_id`),
    ).toEqual([
      { provider_id: 'removed', removed: true },
      { provider_id: 'standing', removed: false },
    ]);
    const revoked = { secret_hash: 'revoked', keys: [], requires_key: false };
    expect(await restoredClient(shop.client_id)).toEqual({ epoch: 3, ...revoked });
    expect(await restoredClient(boltAutomation.client_id)).toEqual({ epoch: 2, ...revoked });
    expect(await restoredClient(automation.client_id)).toBeUndefined();
    expect(await many(restored, sql`select user_id, from_region, step, due_at < now() as is_due from region_move order by step`)).toEqual([
      { user_id: bolt.user_id, from_region: 'us', step: 'copying', is_due: false },
      { user_id: acme.user_id, from_region: 'us', step: 'leaving', is_due: true },
    ]);
    const { turn } = (await one<{ turn: number }>(restored, sql`select nextval('region_move_turn')::integer as turn`))!;
    expect(turn).toBeGreaterThan(1_000_000);
    expect(await one(restored, sql`select level from account where user_id = ${acme.user_id}`)).toEqual({ level: 'basic' });
    expect(await one(restored, sql`select writes_paused from region_mode where region = 'us'`)).toEqual({ writes_paused: true });
    expect(await new FieldTypesStore(restored).find(IBAN.type)).toEqual(IBAN);
    expect(await many(restored, sql`select act from audit.entry where epoch = 2 and initiator = 'operator' order by seq`)).toEqual(
      expect.arrayContaining([{ act: 'client.deleted' }, { act: 'client.secret_replaced' }, { act: 'restore.reconciled' }]),
    );
  });

  it('trusts no browser any more, and keeps second factors on', async () => {
    expect(await many(restored, sql`select 1 from trusted_browser`)).toEqual([]);
    expect(await many(restored, sql`select 1 from second_factor where enabled_at is not null`)).toHaveLength(1);
    await execute(restored, sql`delete from second_factor`);
  });

  it('accepts no earlier mailed code and no pending sign-in step', async () => {
    expect(await many(restored, sql`select 1 from sign_in_step`)).toEqual([]);
    expect(await many(restored, sql`select code_hash from email_change`)).toEqual([{ code_hash: null }]);
    expect(await many(restored, sql`select code_hash from deletion_code`)).toEqual([{ code_hash: '' }]);
    expect(await many(restored, sql`select code_hash from recovery_code`)).toEqual([{ code_hash: null }]);
  });

  it('has no open session in any region, and a front door starts on it', async () => {
    const { acme } = world;
    await eventually(() =>
      acme.asks(account.readProfile, {}).then(
        () => undefined,
        (error: { key: string }) => error.key === 'auth.token_invalid' || undefined,
      ),
    );
    expect(await many(restored, sql`select from session where ended_at is null`)).toEqual([]);
    await expect(refuseRestored(restored, await world.operator('platform'), silentLog)).resolves.toBeUndefined();
  });

  it('a published client without a row in the table is withdrawn after it was missing twice', async () => {
    const bus = await world.operator('platform');
    const rows = await ProjectionReader.open(bus, CLIENTS, silentLog);
    const writer = await ProjectionWriter.open(bus, CLIENTS);
    await writer.put('svc_orphan', { ...rows.all()[0]!, client_id: 'svc_orphan' });
    await eventually(async () => rows.get('svc_orphan'));
    const live = await world.opensDatabase('front_door', { entities: FRONT_DOOR_ENTITIES });
    const table = { republish: (client_id: string) => writer.remove(client_id) };
    const orphans = new OrphanedClients(table as never, new ClientsStore(live), rows, silentLog);

    await orphans.round();
    expect(rows.get('svc_orphan')).toBeDefined();
    expect(await orphans.round()).toBeGreaterThan(0);
    await eventually(async () => (rows.get('svc_orphan') === undefined ? true : undefined));
    await rows.close();
    await live.destroy();
  });

  it('a starting front door removes published field types and modes that its tables do not have', async () => {
    const bus = await world.operator('platform');
    const types = await ProjectionReader.open(bus, FIELD_TYPES, silentLog);
    const modes = await ProjectionReader.open(bus, MODES, silentLog);
    const stray = { region: 'nowhere', writes_paused: true, out_of_order: false };
    await (await ProjectionWriter.open(bus, FIELD_TYPES)).put('stray', { ...IBAN, type: 'stray' });
    await (await ProjectionWriter.open(bus, MODES)).put(stray.region, stray);
    await eventually(async () => types.get('stray') && modes.get(stray.region));
    const nobody = {} as never;
    const bases = { front_door_url: 'http://127.0.0.1', regions: [] };

    await new OperatorFieldTypes(new FieldTypesStore(restored), restored, bus, silentLog, types, nobody).onApplicationBootstrap();
    await new ModeSwitch(restored, bus, bases, silentLog, modes, nobody).onModuleInit();

    await eventually(async () => ((types.get('stray') ?? modes.get(stray.region)) ? undefined : true));
    expect(types.get(IBAN.type)).toEqual(IBAN);
    expect(modes.get('us')).toMatchObject({ writes_paused: true });
    await Promise.all([types.close(), modes.close()]);
  });
});
