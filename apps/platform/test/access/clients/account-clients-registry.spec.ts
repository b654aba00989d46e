import { companyData, FRONT_DOOR, OPERATOR, SERVICE_PATTERNS, TokenResponse, tokens } from '@codase/contracts';
import { Bus, ProjectionReader } from '@codase/runtime/bus';
import { execute, many, one, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { CLIENTS, digestSecret } from '../../../src/access/clients/index.ts';
import { frontDoorDatabase } from './account-clients-database.ts';

describe('the client registry @spec D1-2.1 @spec D1-5.1', () => {
  let world: World;
  let operator: Bus;
  let db: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    operator = await world.operator('platform');
    db = await frontDoorDatabase(world);
  });
  afterAll(async () => {
    await db?.destroy();
    await world?.close();
  });

  const dataClient = (service_id: string, client_id = `svc_of_${service_id}`) => ({
    client_id,
    kind: 'service' as const,
    company_user_id: world.acme.user_id,
    service_id,
    name: service_id,
    purpose: null,
    capabilities: [],
    redirect_uri: null,
    secret_digest: digestSecret('first secret'),
  });
  const registers = (service_id: string, client_id?: string) =>
    operator.request(FRONT_DOOR.registerClient, { region: 'eu' }, dataClient(service_id, client_id));
  const of = (service_id: string, company = world.acme) => ({ company_user_id: company.user_id, service_id });
  const setLevel = (level: 'free' | 'basic') => operator.request(OPERATOR.setLevel, {}, { user_id: world.acme.user_id, level });
  const tokenOf = (client_id: string, client_secret: string) =>
    world.stranger.asks(tokens.issueToken, { body: { grant_type: 'client_credentials', client_id, client_secret } });
  const asksWhoami = ({ access_token }: TokenResponse) =>
    world.stranger.asks(companyData.whoami, {}, { at: world.regionUrl('eu'), token: access_token });

  describe('data clients', () => {
    it('require the level basic @spec D1-4.5', async () => {
      await setLevel('free');
      await expect(registers('ser_level')).rejects.toMatchObject({ key: 'account.level_required', status: 403 });

      await setLevel('basic');
      expect(await registers('ser_level')).toMatchObject({ client_id: 'svc_of_ser_level', service_id: 'ser_level' });
    });

    it('are at home with their company and get every path of the service whitelist @spec D1-5.7', async () => {
      const { client_id } = await registers('ser_new');

      const token = await tokenOf(client_id, 'first secret');
      expect(token.api_url).toBe(world.regionUrl('eu'));
      expect(await asksWhoami(token)).toEqual({ company_user_id: world.acme.user_id, service_id: 'ser_new' });
      expect(await patternsOf(client_id)).toEqual([...SERVICE_PATTERNS].sort());
    });

    it('are limited to one per service, also with concurrent registrations', async () => {
      const tries = await Promise.allSettled(Array.from({ length: 30 }, (_, i) => registers('ser_raced', `svc_raced_${i}`)));

      const lost = tries.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => (reason as { key: string }).key);
      expect(lost).toEqual(Array(29).fill('services.client_exists'));
      await expect(registers('ser_raced', 'svc_late')).rejects.toMatchObject({ key: 'services.client_exists', status: 409 });
    });

    it('are read, changed and deleted by their service, only within their company', async () => {
      const client = await registers('ser_kept');
      const missing = { key: 'services.client_not_found', status: 404 };
      await expect(operator.request(FRONT_DOOR.readClient, { region: 'us' }, of('ser_kept', world.bolt))).rejects.toMatchObject(missing);
      await expect(operator.request(FRONT_DOOR.changeClient, { region: 'us' }, of('ser_kept', world.bolt))).rejects.toMatchObject(missing);
      await expect(
        operator.request(FRONT_DOOR.replaceSecret, { region: 'us' }, { ...of('ser_kept', world.bolt), secret_digest: 'x' }),
      ).rejects.toMatchObject(missing);
      await expect(operator.request(FRONT_DOOR.deleteClient, { region: 'us' }, of('ser_kept', world.bolt))).rejects.toMatchObject(missing);

      expect(await operator.request(FRONT_DOOR.readClient, { region: 'eu' }, of('ser_kept'))).toEqual(client);
      const changed = await operator.request(
        FRONT_DOOR.changeClient,
        { region: 'eu' },
        { ...of('ser_kept'), redirect_uri: 'https://acme.example/back', capabilities: ['oauth_apps'] },
      );
      expect(changed.redirect_uri).toBe('https://acme.example/back');
      expect(await patternsOf(client.client_id)).toEqual([...SERVICE_PATTERNS].sort());
      await operator.request(FRONT_DOOR.deleteClient, { region: 'eu' }, of('ser_kept'));
      await expect(operator.request(FRONT_DOOR.readClient, { region: 'eu' }, of('ser_kept'))).rejects.toMatchObject(missing);
    });

    it('cannot be addressed by client id, which is reserved for account clients', async () => {
      const { company_user_id, client_id } = world.shop;

      await expect(operator.request(FRONT_DOOR.readClient, { region: 'eu' }, { company_user_id, client_id })).rejects.toMatchObject({
        key: 'account_clients.not_found',
      });
    });
  });

  it('ends the sign-ins and pending codes of a client when its secret is replaced', async () => {
    const { client_id } = await registers('ser_signed_in');
    await addSignIn(client_id, 'ses_1');

    await operator.request(
      FRONT_DOOR.replaceSecret,
      { region: 'eu' },
      { ...of('ser_signed_in'), secret_digest: digestSecret('second secret') },
    );

    expect(
      await one(
        db,
        sql`select ended_at is not null as ended, (select count(*)::int from authorization_code) as codes from session
          where session_id = 'ses_1'`,
      ),
    ).toEqual({ ended: true, codes: 0 });
    await expect(tokenOf(client_id, 'first secret')).rejects.toMatchObject({ key: 'oauth.invalid_client' });
    await expect(tokenOf(client_id, 'second secret').then(asksWhoami)).resolves.toMatchObject({ service_id: 'ser_signed_in' });
  });

  it('deletes a client together with its sign-ins, codes and whitelist @spec D1-4.6', async () => {
    const { client_id } = await registers('ser_deleted');
    await addSignIn(client_id, 'ses_2');

    await operator.request(FRONT_DOOR.deleteClient, { region: 'eu' }, of('ser_deleted'));

    expect(await one(db, sql`select count(*)::int as rows from session where session_id = 'ses_2'`)).toEqual({ rows: 0 });
    expect(await patternsOf(client_id)).toEqual([]);
  });

  it('reverts what it published to the regions when the change is not committed', async () => {
    const { client_id } = await registers('ser_uncommitted');
    const reported = await ProjectionReader.open(operator, CLIENTS, silentLog);
    await execute(db, sql`create function refuse_commit() returns trigger language plpgsql as 'begin raise exception ''no''; end'`);
    await execute(
      db,
      sql`create constraint trigger refuse_commit after update or delete on client deferrable initially deferred for each row
        execute function refuse_commit()`,
    );
    const heard: string[] = [];
    const all = operator.connection.subscribe(`$KV.${CLIENTS.bucket}.${client_id}`, {
      callback: (_, message) =>
        void heard.push(message.string() ? (message.json<{ epoch: number }>().epoch === 1 ? 'old' : 'new') : 'gone'),
    });

    await expect(
      operator.request(FRONT_DOOR.replaceSecret, { region: 'eu' }, { ...of('ser_uncommitted'), secret_digest: 'other' }),
    ).rejects.toMatchObject({ key: 'service.unavailable' });
    await expect(operator.request(FRONT_DOOR.deleteClient, { region: 'eu' }, of('ser_uncommitted'))).rejects.toMatchObject({
      key: 'service.unavailable',
    });
    await execute(db, sql`drop trigger refuse_commit on client`);
    await operator.connection.flush();
    all.unsubscribe();

    expect(heard).toEqual(['new', 'old', 'gone', 'old']);
    expect(reported.get(client_id)).toMatchObject({ epoch: 1 });
    await reported.close();
    await expect(tokenOf(client_id, 'first secret').then(asksWhoami)).resolves.toMatchObject({ service_id: 'ser_uncommitted' });
  });

  it('refuses regions on subjects that are only for operators', async () => {
    const region = await busOf('platform-region-eu');

    await expect(region.request(OPERATOR.setLevel, {}, { user_id: world.acme.user_id, level: 'business' })).rejects.toMatchObject({
      key: 'auth.client_endpoint_forbidden',
    });
    await expect(region.request(FRONT_DOOR.readClient, { region: 'eu' }, of('ser_demo_shop'))).resolves.toMatchObject({
      client_id: world.shop.client_id,
    });
    await region.close();
  });

  const patternsOf = async (client_id: string) =>
    (
      await many<{ pattern: string }>(
        db,
        sql`select pattern from client_pattern where client_id = ${client_id} order by pattern collate "C"`,
      )
    ).map(({ pattern }) => pattern);

  async function addSignIn(client_id: string, session_id: string): Promise<void> {
    await execute(
      db,
      sql`insert into session (session_id, client_id, user_id, epoch, created_at) values (${session_id}, ${client_id},
        ${world.acme.user_id}, 1, now())`,
    );
    await execute(
      db,
      sql`insert into authorization_code (code_hash, session_id, redirect_uri, code_challenge, expires_at)
        values (${session_id}, ${session_id}, 'x', 'x', now())`,
    );
  }

  function busOf(user: string): Promise<Bus> {
    const { url, credentials } = world['planes'].nats;
    return Bus.connect({ url, ...credentials(user), name: user, log: silentLog });
  }
});
