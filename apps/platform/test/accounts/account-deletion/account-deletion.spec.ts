import {
  account,
  accountClients,
  accountSecurity,
  CONNECTION_SUBJECTS,
  contactData,
  FRONT_DOOR,
  OPERATOR,
  phones,
  serviceClient,
  services,
  tokens,
  type Refusal,
} from '@codase/contracts';
import { ProjectionReader } from '@codase/runtime/bus';
import { execute, many, one, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { comesTrue, eventually, everyRow, Marks, type Backend, type Company, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { HOME_LOCK } from '../../../src/foundation/regions/home-lock.store.ts';
import { isDeletedAccount } from '../../../src/foundation/regions/index.ts';
import { afterRegionRestore, afterRestore } from '../../../src/operator/after-restore.service.ts';
import { provision } from '../../../src/operator/provision.service.ts';
import { REVOCATIONS } from '../../../src/access/tokens/index.ts';
import { frontDoorDatabase } from '../../access/clients/account-clients-database.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { MovingWorld } from '../../support/moving-world.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';
import { FRONT_DOOR_ENTITIES, REGION_ENTITIES } from '../../../src/capabilities.ts';

type Base = 'front_door' | 'region_eu' | 'region_us';
const BASES: readonly Base[] = ['front_door', 'region_eu', 'region_us'];

describe('account deletion by the owner @spec D1-5.8 @gap D1-5.8', () => {
  let moving: MovingWorld;
  let databases: Record<Base, DataSource>;
  beforeAll(async () => {
    moving = await MovingWorld.open();
    const open = (name: Base) => {
      const entities = name === 'front_door' ? FRONT_DOOR_ENTITIES : REGION_ENTITIES;
      // As the owner, because this is the role that reconciles a restored database.
      return moving.world.opensDatabase(name, { role: 'owner', entities });
    };
    databases = { front_door: await open('front_door'), region_eu: await open('region_eu'), region_us: await open('region_us') };
  });
  afterAll(() => moving?.close());

  const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });
  const codeInvalid = refused('account.code_invalid', 400);

  /** The newest deletion code that was mailed to the user. */
  const codeFor = async (user: Pick<Person, 'email'>): Promise<string> => (await codesFor(user))[0]!;
  const codesFor = async ({ email }: Pick<Person, 'email'>) =>
    (await moving.world.mails()).flatMap(({ to, subject, code }) => (to === email && subject.includes('deletes') ? [code!] : []));
  const signsInAs = (user: Person) =>
    user.signsIn().then(
      () => 'signed in',
      () => 'refused',
    );
  const deletes = async (person: Person): Promise<void> => {
    await person.phone.requestsDeletion();
    await person.phone.confirmsDeletion(await codeFor(person));
  };
  const leftOf = async ({ user_id }: { user_id: string }) =>
    (
      await one<{ regions_left: string[] | null }>(
        databases.front_door,
        sql`select regions_left from account_deletion where user_id = ${user_id}`,
      )
    )?.regions_left;
  /** Waits until the account is deleted everywhere. Time passes meanwhile, so that failed attempts are repeated. */
  const isGone = (user: { user_id: string }) =>
    moving.comesAbout(async () => (await leftOf(user))?.length === 0, 'it is deleted everywhere');

  interface Shop {
    company: Company;
    code: string;
    backend: Backend;
  }
  const shop = async (): Promise<Shop> => {
    const company = await moving.world.signsUp({ type: 'company', region: 'eu', level: 'pro' });
    const { id, share_code } = await moving.creates(company, 'Club');
    const client = await company.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
    const backend = moving.world.backendOf(company, { ...client, service_id: id } as never);
    return { company, code: `${company.share_code}/${share_code}`, backend };
  };
  const eventsOf = async (backend: Backend) => (await backend.feed.drains()).events;
  const connectionsOf = ({ user_id }: Person, base: Base) =>
    many(databases[base], sql`select 1 from connection where customer_user_id = ${user_id}`);

  it("deletes a person's sessions, connections, enrolments, challenges and values, and informs services", async () => {
    const { backend, code } = await shop();
    const card = { display_name: 'Wilhelmina Verschwunden', email: 'wilhelmina@deleted.example' };
    const person = await moving.world.signsUp({ type: 'person', region: 'us', ...card });
    await person.connections.connects(code);
    await person.phone.enrols(backend);
    const open = { value: 'wilhelmina.open@deleted.example', is_private: false, copies: [] };
    await person.asks(contactData.putContactData, { params: { slug: 'email' }, body: open });
    const raised = await backend.challenges.raises(person);
    const { refresh_token } = await person.signsIn();
    await eventsOf(backend);

    expect(await person.phone.requestsDeletion()).toEqual({
      confirm_by: new Date(moving.world.now.getTime() + 24 * 3_600_000).toISOString(),
    });
    expect(await person.asks(account.readAccount, {})).toMatchObject({ email: card.email });
    await person.phone.confirmsDeletion(await codeFor(person));

    await expect(person.asks(account.readProfile, {})).rejects.toEqual(refused('auth.token_invalid', 401));
    const refreshed = { grant_type: 'refresh_token', client_id: 'app_person', refresh_token: refresh_token! } as const;
    await expect(person.asks(tokens.issueToken, { body: refreshed })).rejects.toEqual(refused('oauth.invalid_grant', 400));
    expect(await signsInAs(person)).toBe('refused');
    await isGone(person);
    const about = { person_user_id: person.user_id, share_code: person.share_code };
    expect(await eventsOf(backend)).toEqual([
      expect.objectContaining({ event: '2fa_challenge_completed', challenge_id: raised.challenge_id, status: 'revoked', ...about }),
      { id: expect.any(String), event: 'connection_deleted', customer_type: 'person', at: expect.any(String), ...about },
    ]);
    expect(await backend.challenges.polls(raised)).toMatchObject({ status: 'revoked' });
    await expect(backend.challenges.raises(person)).rejects.toEqual(refused('twofa.not_enrolled', 404));

    const marks = new Marks({ ...card, value: open.value });
    for (const base of BASES) expect({ [base]: marks.foundIn(await everyRow(moving.world.databaseUrl(base))) }).toEqual({ [base]: [] });
    for (const base of ['region_eu', 'region_us'] as const) expect(await isDeletedAccount(databases[base], person.user_id)).toBe(true);
    const rows = await many(databases.region_us, sql`select act from audit.entry where account_id = ${person.user_id}`);
    expect(rows).toContainEqual({ act: 'account.deleted' });

    const again = await moving.world.signsUp({ type: 'person', region: 'eu', email: card.email });
    expect(again.user_id).not.toBe(person.user_id);
    expect(await again.connections.connects(code)).toMatchObject({ id: expect.any(String) });
  });

  it('ends no session when the deletion cannot be stored', async () => {
    const person = await moving.world.signsUp({ type: 'person', region: 'eu' });
    await person.signsIn();
    await person.phone.requestsDeletion();
    const sessions = await many<{ session_id: string }>(
      databases.front_door,
      sql`select session_id from session where user_id = ${person.user_id}`,
    );
    const owner = await frontDoorDatabase(moving.world);
    const change = (text: string) => execute(owner, { text: `alter table account_deletion ${text}`, values: [] });
    const ended = async () => {
      const published = await ProjectionReader.open(moving.operator, REVOCATIONS, silentLog);
      const isEnded = sessions.map(({ session_id }) => published.get(session_id) !== undefined);
      await published.close();
      return isEnded;
    };

    await change(`add constraint stays check (user_id <> '${person.user_id}')`);
    await expect(person.phone.confirmsDeletion(await codeFor(person))).rejects.toMatchObject({ status: 503 });
    await change('drop constraint stays');
    await owner.destroy();
    expect(await ended()).toEqual(sessions.map(() => false));
    expect(await person.asks(account.readAccount, {})).toMatchObject({ user_id: person.user_id });

    await person.phone.confirmsDeletion(await codeFor(person));
    expect(sessions.length).toBeGreaterThan(0);
    expect(await ended()).toEqual(sessions.map(() => true));
  });

  it('requires the password, and locks after five wrong ones', async () => {
    const person = await moving.world.signsUp({ type: 'person', region: 'eu' });

    for (let n = 0; n < 5; n++)
      await expect(person.phone.requestsDeletion({ password: 'not the password' })).rejects.toEqual(refused('account.password_wrong', 403));
    await expect(person.phone.requestsDeletion()).rejects.toEqual(refused('rate_limit.exceeded', 429));
    expect(await codesFor(person)).toEqual([]);
  });

  it('accepts only the newest code of the account, within a day, and locks after five wrong codes', async () => {
    const person = await moving.world.signsUp({ type: 'person', region: 'eu' });
    const other = await moving.world.signsUp({ type: 'person', region: 'eu' });
    await expect(person.phone.confirmsDeletion('AB23CD45')).rejects.toEqual(codeInvalid);
    await person.phone.requestsDeletion();
    const old = await codeFor(person);
    await moving.world.passes({ seconds: 1 });
    await person.phone.requestsDeletion();
    await other.phone.requestsDeletion();
    const code = await codeFor(person);

    await expect(person.phone.confirmsDeletion(old)).rejects.toEqual(codeInvalid);
    await expect(person.phone.confirmsDeletion(await codeFor(other))).rejects.toEqual(codeInvalid);
    for (let n = 2; n < 5; n++) await expect(person.phone.confirmsDeletion('WRNG2345')).rejects.toEqual(codeInvalid);
    await expect(person.phone.confirmsDeletion(code)).rejects.toEqual(codeInvalid);

    const late = await codeFor(other);
    await moving.world.passes({ hours: 24 });
    await other.signsIn();
    await expect(other.phone.confirmsDeletion(late)).rejects.toEqual(codeInvalid);
    expect(await other.asks(account.readAccount, {})).toMatchObject({ user_id: other.user_id });
  });

  it('refuses a body with unknown members', async () => {
    const person = await moving.world.signsUp({ type: 'person', region: 'eu' });
    const company = await moving.world.signsUp({ type: 'company', region: 'eu' });
    const password = { password: 'a password', why: 'I leave' } as never;
    const code = { code: 'AB23CD45', why: 'I leave' } as never;
    const requests = await Promise.allSettled([
      person.asks(phones.requestPersonDeletion, { body: password }),
      person.asks(phones.confirmPersonDeletion, { body: code }),
      company.asks(accountSecurity.requestDeletion, { body: password }),
      company.asks(accountSecurity.confirmDeletion, { body: code }),
    ]);
    expect(requests).toEqual(requests.map(() => ({ status: 'rejected', reason: refused('request.invalid', 400) })));
  });

  it('mails at most five codes a day', async () => {
    const person = await moving.world.signsUp({ type: 'person', region: 'eu' });
    for (let n = 0; n < 5; n++) await person.phone.requestsDeletion();

    await expect(person.phone.requestsDeletion()).rejects.toEqual(refused('rate_limit.exceeded', 429));
  });

  it('succeeds for one of several concurrent confirmations, and the code cannot be reused', async () => {
    const person = await moving.world.signsUp({ type: 'person', region: 'us' });
    await person.phone.requestsDeletion();
    const code = await codeFor(person);
    const confirms = () => moving.operator.request(FRONT_DOOR.confirmDeletion, { region: 'us' }, { user_id: person.user_id, code });

    const done = await Promise.allSettled(Array.from({ length: 4 }, confirms));

    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(confirms()).rejects.toEqual(codeInvalid);
    const rows = await many(
      databases.front_door,
      sql`select 1 from audit.entry where account_id = ${person.user_id} and act = 'account.deleted' and outcome = 'done'`,
    );
    expect(rows).toHaveLength(1);
  });

  it('is accepted only from the home region, and not from a person at the portal', async () => {
    const person = await moving.world.signsUp({ type: 'person', region: 'us' });

    const pending = moving.operator.request(FRONT_DOOR.requestDeletion, { region: 'eu' }, { user_id: person.user_id });
    await expect(pending).rejects.toEqual(refused('region.rebase_required', 421));
    const atPortal = person.asks(accountSecurity.requestDeletion, { body: { password: person.password } });
    await expect(atPortal).rejects.toEqual(refused('auth.client_endpoint_forbidden', 403));
  });

  it('waits for a region that is paused, and completes when it accepts writes again', async () => {
    const { backend, code } = await shop();
    const person = await moving.world.signsUp({ type: 'person', region: 'us' });
    await person.connections.connects(code);
    await moving.operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused: true });

    await deletes(person);
    await eventually(async () => ((await leftOf(person))?.join() === 'eu' ? true : undefined));
    expect(await signsInAs(person)).toBe('refused');
    expect(await connectionsOf(person, 'region_eu')).toHaveLength(1);

    await moving.operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused: false });
    await isGone(person);
    expect((await eventsOf(backend)).at(-1)).toMatchObject({ event: 'connection_deleted', person_user_id: person.user_id });
  });

  it('waits for a company that is about to leave its region, and ends the connections if it stays', async () => {
    const { company, code } = await shop();
    const person = await moving.world.signsUp({ type: 'person', region: 'eu' });
    await person.connections.connects(code);
    const setHome = (home: string) =>
      execute(databases.region_eu, sql`update profile set home = ${home} where user_id = ${company.user_id}`);
    await setHome('leaving');

    await deletes(person);
    await eventually(async () => ((await leftOf(person))?.join() === 'eu' ? true : undefined));
    await eventually(async () => (await isDeletedAccount(databases.region_eu, person.user_id)) || undefined);
    expect(await many(databases.region_eu, sql`select 1 from profile where user_id = ${person.user_id}`)).toEqual([]);
    expect(await connectionsOf(person, 'region_eu')).toHaveLength(1);

    await setHome('here');
    await isGone(person);
    expect(await connectionsOf(person, 'region_eu')).toEqual([]);
  });

  it('also ends a connection that a company brings later to a region where the account was already deleted', async () => {
    const { company, code, backend } = await shop();
    const person = await moving.world.signsUp({ type: 'person', region: 'us' });
    await person.connections.connects(code);
    await moving.operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused: true });
    await deletes(person);
    await eventually(async () => ((await leftOf(person))?.join() === 'eu' ? true : undefined));
    await moving.operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused: false });
    // Postpones the next attempt of the worker, so that eu does not yet learn of the deletion.
    await execute(databases.front_door, sql`update account_deletion set next_at = 'infinity' where user_id = ${person.user_id}`);

    await moving.moves(company, 'us');
    await moving.arrives(company);

    expect(await connectionsOf(person, 'region_us')).toEqual([]);
    expect((await eventsOf(backend)).at(-1)).toMatchObject({ event: 'connection_deleted', person_user_id: person.user_id });
    await execute(databases.front_door, sql`update account_deletion set next_at = now() where user_id = ${person.user_id}`);
    await isGone(person);
  });

  it('ends the connection and deletes the connect request of a company that arrives at the same moment', async () => {
    const { company, code, backend } = await shop();
    const other = await shop();
    const person = await moving.world.signsUp({ type: 'person', region: 'us' });
    await person.connections.connects(code);
    await other.backend.invites(person);
    const companies = [company.user_id, other.company.user_id];
    const requestsTo = () => many(databases.region_eu, sql`select 1 from connect_request where person_user_id = ${person.user_id}`);
    expect(await requestsTo()).toHaveLength(1);
    await execute(databases.region_eu, sql`update profile set home = 'arriving' where user_id = any(${companies})`);

    // The step that opens the region for the companies has looked for deleted customers, and is not committed yet.
    const eu = moving.internals.database('region_eu');
    await inOwnTransaction(eu, async (tx) => {
      await execute(tx, sql`select pg_advisory_xact_lock(${HOME_LOCK}, hashtext(user_id)) from unnest(${companies}::text[]) user_id`);
      await execute(tx, sql`update profile set home = 'here' where user_id = any(${companies})`);
      await deletes(person);
      await eventually(async () => (await lockWaits(eu, 'advisory')) > 0 || (await leftOf(person))?.length === 0 || undefined);
    });

    await isGone(person);
    expect(await connectionsOf(person, 'region_eu')).toEqual([]);
    expect(await requestsTo()).toEqual([]);
    expect((await eventsOf(backend)).at(-1)).toMatchObject({ event: 'connection_deleted', person_user_id: person.user_id });
  });

  it('refuses a late connect from another region', async () => {
    const { company, code } = await shop();
    const person = await moving.world.signsUp({ type: 'person', region: 'us' });
    const { user_id, display_name, share_code, public_key } = person;
    await deletes(person);
    await isGone(person);

    const [, service_code] = code.split('/');
    const late = {
      company_user_id: company.user_id,
      service_code: service_code!,
      customer: { user_id, type: 'person' as const, display_name, share_code, public_key },
      values: [],
      at: moving.world.now.toISOString(),
    };
    const us = await moving.world.busAs('platform-region-us');
    await expect(us.request(CONNECTION_SUBJECTS.connect, { region: 'eu' }, late)).rejects.toEqual(refused('service.unavailable', 503));
    expect(await connectionsOf(person, 'region_eu')).toEqual([]);
  });

  describe('deletion of a company account', () => {
    const requests = (company: Company) => company.asks(accountSecurity.requestDeletion, { body: { password: company.password } });
    const confirms = (company: Company, code: string) => company.asks(accountSecurity.confirmDeletion, { body: { code } });

    it('is refused while the company has services or account clients, and succeeds afterwards', async () => {
      const { company, code, backend } = await shop();
      const customer = await moving.world.signsUp({ type: 'company', region: 'us' });
      await requests(customer);
      const { client_id } = await customer.asks(accountClients.createAccountClient, { body: { name: 'Robot', capabilities: [] } });
      await customer.connections.disconnects(await customer.connections.connects(code));
      await customer.connections.connects(code);
      const ownFeed = () => many(databases.region_us, sql`select id from feed_event where company_user_id = ${customer.user_id}`);
      await comesTrue(async () => expect(await ownFeed()).toHaveLength(1));

      await expect(requests(company)).rejects.toEqual(refused('account.in_use', 409));
      await expect(confirms(company, 'AB23CD45')).rejects.toEqual(refused('account.in_use', 409));
      await expect(confirms(customer, await codeFor(customer))).rejects.toEqual(refused('account.in_use', 409));
      await customer.asks(accountClients.deleteAccountClient, { params: { id: client_id } });
      await confirms(customer, await codeFor(customer));

      await isGone(customer);
      expect(await ownFeed()).toEqual([]);
      await expect(customer.asks(account.readProfile, {})).rejects.toEqual(refused('auth.token_invalid', 401));
      expect((await eventsOf(backend)).at(-1)).toMatchObject({ event: 'connection_deleted', person_user_id: customer.user_id });
      await company.asks(services.deleteService, { params: { id: backend.service_id! } });
      await requests(company);
    });

    it('requires the right password and the right code', async () => {
      const company = await moving.world.signsUp({ type: 'company', region: 'us' });
      const wrong = company.asks(accountSecurity.requestDeletion, { body: { password: 'not the password' } });
      await expect(wrong).rejects.toEqual(refused('account.password_wrong', 403));
      await expect(confirms(company, 'AB23CD45')).rejects.toEqual(codeInvalid);
    });

    it('is refused during a region move, and succeeds afterwards', async () => {
      const company = await moving.newCompany();
      await requests(company);
      const code = await codeFor(company);
      await execute(
        databases.front_door,
        sql`insert into region_move (user_id, from_region, to_region, step, started_at, due_at)
            values (${company.user_id}, 'eu', 'us', 'pausing', now(), 'infinity')`,
      );

      await expect(requests(company)).rejects.toEqual(refused('account.moving', 409));
      await expect(confirms(company, code)).rejects.toEqual(refused('account.moving', 409));
      await execute(databases.front_door, sql`delete from region_move where user_id = ${company.user_id}`);
      await confirms(company, code);
    });
  });

  it('is final, also when the account is provisioned again or older databases are restored', async () => {
    const { backend, code } = await shop();
    const person = await moving.world.signsUp({ type: 'person', region: 'us' });
    await person.connections.connects(code);
    const rowsOf = async (base: Base, table: string) =>
      (await many<{ row: string }>(databases[base], { text: `select to_jsonb(t)::text as row from ${table} t`, values: [] })).map(
        ({ row }) => row,
      );
    const [was] = (await rowsOf('front_door', 'account')).filter((row) => row.includes(person.user_id));
    const [profile] = (await rowsOf('region_us', 'profile')).filter((row) => row.includes(person.user_id));
    await deletes(person);
    await isGone(person);
    await eventsOf(backend);

    const bus = moving.operator;
    const regions = new Map([['us', databases.region_us]]);
    const known = { ...(JSON.parse(was!) as object), ...(JSON.parse(profile!) as object) };
    await provision({ frontDoor: databases.front_door, regions, bus, peppers: {} as never }, { profile: known as never }, new Date());
    expect(await many(databases.front_door, sql`select 1 from account where user_id = ${person.user_id}`)).toEqual([]);

    // The front door has the state of before the deletion, as after a restore.
    await execute(databases.front_door, sql`delete from account_deletion where user_id = ${person.user_id}`);
    await execute(databases.front_door, sql`insert into account select * from jsonb_populate_record(null::account, ${was}::jsonb)`);
    const restored = await afterRestore({ frontDoor: databases.front_door, bus }, moving.world.now);
    expect(restored.accounts_deleted).toEqual([person.user_id]);
    expect(await many(databases.front_door, sql`select 1 from account where user_id = ${person.user_id}`)).toEqual([]);
    await isGone(person);

    // The region has the state of before the deletion, too.
    await execute(databases.region_us, sql`delete from deleted_account where user_id = ${person.user_id}`);
    await execute(databases.region_us, sql`insert into profile select * from jsonb_populate_record(null::profile, ${profile}::jsonb)`);
    const report = await afterRegionRestore(
      { region: 'us', db: databases.region_us, frontDoor: databases.front_door, bus, exported: [], delegates_added: [] },
      moving.world.now,
    );
    expect(report).toMatchObject({ accounts_deleted: [person.user_id], accounts_moved: expect.not.arrayContaining([person.user_id]) });
    await isGone(person);
    expect(await many(databases.region_us, sql`select 1 from profile where user_id = ${person.user_id}`)).toEqual([]);
    expect(await isDeletedAccount(databases.region_us, person.user_id)).toBe(true);
  });
});
