import {
  account,
  accountClients,
  accountSecurity,
  DELEGATES,
  DELEGATION_SUBJECTS,
  delegates,
  delegations,
  OPERATOR,
  services,
  type Refusal,
  type Request,
} from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import { freePort } from '@codase/servers';
import { eventually, type Company, type User } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { refused } from '../connections/connections-world.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { MovingWorld } from '../../support/moving-world.ts';

type Base = 'region_eu' | 'region_us';
const notFound = refused('delegates.not_found', 404);
const tooMany = refused('delegates.too_many', 409);
/** The key of every service that these tests create. */
const KEY = SERVICE_KEYS[2];

describe('delegates of a company @spec D1-5.8', () => {
  let moving: MovingWorld;
  beforeAll(async () => {
    moving = await MovingWorld.open();
  });
  afterAll(() => moving?.close());

  const seals = (recipient: { public_key: string }, text: string) => moving.world.acme.sealsFor(recipient, text);
  const database = (name: Base) => moving.internals.database(name);
  const somebody = (region: 'eu' | 'us' = 'eu') => moving.world.signsUp({ type: 'person', region });
  const someCompany = (region: 'eu' | 'us' = 'eu') => moving.world.signsUp({ type: 'company', region });
  /** A company of eu that has a service. */
  const club = async () => {
    const company = await moving.newCompany();
    const { id } = await moving.creates(company, 'Club');
    return { company, id };
  };
  const rowsOf = async (user: User, table: 'delegate' | 'delegate_grant' | 'delegating_company', name: Base = 'region_eu') =>
    (await many<{ row: object }>(database(name), { text: `select to_jsonb(t) as row from ${table} t`, values: [] })).flatMap(({ row }) =>
      JSON.stringify(row).includes(user.user_id) ? [row] : [],
    );
  const acts = (company: Company, name: Base = 'region_eu') =>
    many<{ act: string; object: string; initiator: string; details: object }>(
      database(name),
      sql`
      select act, object, initiator, details from audit.entry
       where account_id = ${company.user_id} and act like 'delegate.%' order by seq`,
    );
  const mode = (region: string, state: { writes_paused?: boolean; out_of_order?: boolean }) =>
    moving.operator.request(OPERATOR.setMode, {}, { region, ...state });

  /** Waits until the company sees a delegate by this name: the stored one is shown while another region is slow. */
  const showsName = (company: Company, name: string) =>
    eventually(async () => (await company.delegates.lists()).some(({ display_name }) => display_name === name) || undefined);

  const reasonsOf = (settled: readonly PromiseSettledResult<unknown>[]) =>
    settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const times = <T>(many: number, one: T): T[] => Array.from({ length: many }, () => one);

  // First, because the clock of another process does not know by how much other tests have moved the clock of the world.
  it('are added once across replicas, and a killed replica adds them entirely or not at all', async () => {
    const { company, id } = await club();
    const [ana, ben] = [await somebody('us'), await somebody()];
    const ports = { port: await freePort(), opsPort: await freePort() };
    const replica = await moving.world.startsReplica('region-eu', ports);
    const at = `http://127.0.0.1:${ports.port}`;
    const adds = (options: { at?: string }, user = ana) =>
      company.asks(delegates.addDelegate, { body: { share_code: user.share_code } }, options);

    const added = await Promise.allSettled([adds({ at }), adds({}), adds({ at }), adds({})]);
    expect(reasonsOf(added)).toEqual(times(3, refused('delegates.exists', 409)));
    const [delegate] = await company.delegates.lists();
    const granting = [1, 2, 3, 4].map(async (nth) => {
      const params = { delegateId: delegate!.id, serviceId: id };
      const body = { passphrase: await seals(delegate!, KEY.passphrase) };
      return company.asks(delegates.grantService, { params, body }, nth % 2 ? { at } : {});
    });
    expect((await Promise.all(granting)).map(({ services: [granted] }) => granted)).toEqual(
      times(4, { service_id: id, has_key: true, key_read_at: null }),
    );
    expect(await rowsOf(company, 'delegate_grant')).toHaveLength(1);

    const release = await moving.internals.hold('region_eu', sql`lock table delegate in share row exclusive mode`);
    const adding = adds({ at }, ben).then(
      () => 'added',
      () => 'failed',
    );
    await moving.internals.someoneWaits('region_eu', 'relation');
    await replica.kill();
    await release();
    expect(await adding).toBe('failed');
    await eventually(async () => ((await lockWaits(database('region_eu'), 'relation')) === 0 ? true : undefined));
    expect(await rowsOf(ben, 'delegate')).toEqual([]);
    expect(await ben.delegations.lists()).toEqual([]);
    await company.delegates.adds(ben);
    expect(await ben.delegations.lists()).toHaveLength(1);
  });

  describe.each([
    ['a person of the same region', () => somebody('eu'), 'region_eu'],
    ['a person of another region', () => somebody('us'), 'region_us'],
    ['a company of the same region', () => someCompany('eu'), 'region_eu'],
    ['a company of another region', () => someCompany('us'), 'region_us'],
  ] as const)('a delegate who is %s', (_, signsUp, home) => {
    let company: Company;
    let id: string;
    let user: Awaited<ReturnType<typeof signsUp>>;
    beforeAll(async () => {
      ({ company, id } = await club());
      user = await signsUp();
    });

    it('is listed with the granted services, and lists the delegation in turn @gap D1-5.8', async () => {
      expect(await user.delegations.lists()).toEqual([]);
      const added = await company.delegates.adds(user);

      const { user_id, display_name, public_key } = user;
      const { share_code } = user;
      const whoIs = { user_id: null, display_name: null, accepted_at: null };
      expect(added).toEqual({ id: expect.any(String), share_code, ...whoIs, public_key, services: [], created_at: expect.any(String) });
      expect(await company.delegates.lists()).toEqual([added]);
      expect(JSON.stringify(added)).not.toContain(user_id);
      expect(JSON.stringify(added)).not.toContain(display_name);
      const granted = await company.delegates.grants(added, id);
      expect(granted).toEqual({ ...added, services: [{ service_id: id, has_key: false, key_read_at: null }] });
      expect(await company.delegates.lists()).toEqual([granted]);
      expect(await user.delegations.lists()).toEqual([
        {
          id: added.id,
          company: { user_id: company.user_id, display_name: company.display_name, share_code: company.share_code },
          services: [{ service_id: id, name: 'Club', has_key: false }],
          accepted_at: null,
          created_at: added.created_at,
        },
      ]);
      expect(await rowsOf(user, 'delegating_company', home)).toEqual([{ user_id, company_user_id: company.user_id }]);
    });

    it('shows the company who it is once it has accepted, and only the delegate can accept @gap D1-5.8', async () => {
      const [delegate] = await company.delegates.lists();
      const stranger = await somebody();
      await expect(stranger.delegations.accepts(delegate!)).rejects.toEqual(notFound);
      expect(await company.delegates.lists()).toEqual([delegate]);

      await user.delegations.accepts(delegate!);
      await user.delegations.accepts(delegate!);

      const { user_id, display_name } = user;
      const [accepted] = await company.delegates.lists();
      expect(accepted).toEqual({ ...delegate, user_id, display_name, accepted_at: expect.any(String) });
      expect((await user.delegations.lists())[0]!.accepted_at).toBe(accepted!.accepted_at);
      expect((await acts(company)).filter(({ act }) => act === 'delegate.accepted')).toHaveLength(1);
    });

    it('opens values of a service only after the company has handed over the key @gap D1-5.8', async () => {
      const [delegate] = await company.delegates.lists();
      const [delegation] = await user.delegations.lists();
      expect(await user.delegations.reads(delegation!, id)).toMatchObject({ service_id: id, name: 'Club', key: null });
      expect((await company.delegates.lists())[0]!.services).toMatchObject([{ key_read_at: null }]);

      await company.delegates.grants(delegate!, id, KEY.passphrase);

      const wrapper = await seals(KEY, 'ana@person.example');
      expect(await user.delegations.opens(delegation!, id, wrapper)).toBe('ana@person.example');
      const [{ services: read }] = (await company.delegates.lists()) as [Awaited<ReturnType<Company['delegates']['adds']>>];
      expect(read).toEqual([{ service_id: id, has_key: true, key_read_at: moving.world.now.toISOString() }]);
      await Promise.all([1, 2, 3].map(() => user.delegations.reads(delegation!, id)));
      const [{ grant_id }] = (await rowsOf(company, 'delegate_grant')) as [{ grant_id: string }];
      expect(await acts(company)).toMatchObject([
        { act: 'delegate.added', object: delegate!.id, initiator: company.user_id, details: { user_id: user.user_id } },
        { act: 'delegate.granted', details: { user_id: user.user_id, service_id: id, reason: 'without_key' } },
        { act: 'delegate.accepted', object: delegate!.id, initiator: user.user_id, details: { user_id: user.user_id } },
        { act: 'delegate.granted', object: grant_id, details: { service_id: id, reason: 'with_key' } },
        { act: 'delegate.key_read', object: grant_id, initiator: user.user_id, details: { user_id: user.user_id, service_id: id } },
      ]);
    });

    it('has the key until the company withdraws it or revokes the grant', async () => {
      const [delegate] = await company.delegates.lists();
      const [delegation] = await user.delegations.lists();
      const [grant] = await rowsOf(company, 'delegate_grant');
      const { passphrase } = grant as { passphrase: string };
      const params = { delegateId: delegate!.id, serviceId: id };
      const again = await company.asks(delegates.grantService, { params, body: { passphrase: passphrase as never } });
      expect(again.services).toMatchObject([{ key_read_at: expect.any(String) }]);
      expect((await company.delegates.grants(delegate!, id, 'another one')).services).toEqual(again.services);
      const { key } = await user.delegations.reads(delegation!, id);
      expect(await user.opens(key!.passphrase)).toBe('another one');

      await company.delegates.grants(delegate!, id);
      const withdrawn = { act: 'delegate.key_withdrawn', object: (grant as { grant_id: string }).grant_id };
      expect((await acts(company)).at(-1)).toMatchObject({ ...withdrawn, details: { user_id: user.user_id, service_id: id } });
      expect((await user.delegations.reads(delegation!, id)).key).toBeNull();
      const { key_read_at } = again.services[0]!;
      expect((await company.delegates.lists())[0]!.services).toEqual([{ service_id: id, has_key: false, key_read_at }]);
      await company.delegates.revokes(delegate!, id);
      await expect(user.delegations.reads(delegation!, id)).rejects.toEqual(notFound);
      expect(await user.delegations.lists()).toMatchObject([{ id: delegation!.id, services: [] }]);
      await expect(company.delegates.revokes(delegate!, id)).rejects.toEqual(notFound);
    });

    it('may leave, and be added again', async () => {
      const [delegation] = await user.delegations.lists();
      await user.delegations.leaves(delegation!);

      expect(await company.delegates.lists()).toEqual([]);
      expect(await user.delegations.lists()).toEqual([]);
      await expect(user.delegations.leaves(delegation!)).rejects.toEqual(notFound);
      const anew = await company.delegates.adds(user);
      await company.delegates.grants(anew, id, KEY.passphrase);
      expect(anew.id).not.toBe(delegation!.id);
      await company.delegates.removes(anew);
      await expect(user.delegations.reads(anew, id)).rejects.toEqual(notFound);
      expect(await user.delegations.lists()).toEqual([]);
      expect(await rowsOf(company, 'delegate_grant')).toEqual([]);
      await expect(company.delegates.removes(anew)).rejects.toEqual(notFound);
      await expect(company.delegates.grants(anew, id)).rejects.toEqual(notFound);
      await expect(company.delegates.revokes(anew, id)).rejects.toEqual(notFound);
    });

    it('is shown with the current display name', async () => {
      await user.delegations.accepts(await company.delegates.adds(user));
      await user.asks(account.changeProfile, { body: { display_name: 'Another Name' } });
      await company.asks(account.changeProfile, { body: { display_name: 'Another Club' } });

      await showsName(company, 'Another Name');
      expect(await user.delegations.lists()).toMatchObject([{ company: { display_name: 'Another Club' } }]);
    });
  });

  it('get an app event for each change of their delegation @gap D1-1', async () => {
    const { company, id } = await club();
    const ana = await somebody('us');
    const phone = ana.phone.listens();
    await phone.hears('reset');
    const delegate = await company.delegates.adds(ana);
    expect((await phone.hears('delegation_changed')).data).toEqual({ delegation_id: delegate.id });
    const params = { delegateId: delegate.id, serviceId: id };
    const body = { passphrase: await seals(delegate, KEY.passphrase) };
    // Nobody hears of the second grant, as it changes nothing.
    for (const _ of [1, 2]) await company.asks(delegates.grantService, { params, body });
    await phone.hears('delegation_changed');
    await company.delegates.revokes(delegate, id);
    await phone.hears('delegation_changed');
    await company.delegates.removes(delegate);
    await phone.hears('delegation_changed');
    expect(phone.heard.map(({ event }) => event)).toEqual(['reset', ...times(4, 'delegation_changed')]);
    expect((await acts(company)).map(({ act }) => act)).toEqual(['added', 'granted', 'revoked', 'removed'].map((act) => `delegate.${act}`));
    await phone.leaves();
  });

  it('appear in the log of the service by their delegate id', async () => {
    const { company, id } = await club();
    const delegate = await company.delegates.adds(await somebody());
    await company.delegates.grants(delegate, id, KEY.passphrase);
    await company.delegates.revokes(delegate, id);

    const { items } = await company.asks(services.readServiceLogs, { params: { id }, query: {} });
    const said = items.filter(({ kind }) => kind.startsWith('delegate_')).map(({ kind, message }) => `${kind}: ${message}`);
    expect(said.toSorted()).toEqual([
      `delegate_granted: The service was granted to the delegate ${delegate.id}, with its key`,
      `delegate_revoked: The service was taken from the delegate ${delegate.id}`,
    ]);
  });

  it('are added only by an existing share code of another user @spec D1-7', async () => {
    const { company } = await club();
    const adds = (share_code: string) => company.delegates.adds({ share_code });

    await expect(adds('NOBODY0')).rejects.toEqual(refused('keys.not_found', 404));
    for (const hostile of ['', 'no code', "'; drop table delegate", 'A'.repeat(17), 'ana', '\u0000', '../ANA'])
      await expect(adds(hostile)).rejects.toEqual(refused('keys.not_found', 404));
    await expect(adds(company.share_code)).rejects.toEqual(refused('request.invalid', 400));
    await expect(company.asks(delegates.addDelegate, { body: {} as never })).rejects.toEqual(refused('request.invalid', 400));
    const more = { share_code: 'ANA', role: 'owner' } as never;
    await expect(company.asks(delegates.addDelegate, { body: more })).rejects.toEqual(refused('request.invalid', 400));
    const ana = await somebody();
    await company.delegates.adds(ana);
    await expect(company.delegates.adds(ana)).rejects.toEqual(refused('delegates.exists', 409));
    expect(await company.delegates.lists()).toHaveLength(1);
  });

  it('are granted only services of the company, and only with a sealed passphrase @spec D1-7', async () => {
    const { company, id } = await club();
    const other = await club();
    const delegate = await company.delegates.adds(await somebody());
    const grants = (serviceId: string, body: Request<typeof delegates.grantService>['body'] = {}) =>
      company.asks(delegates.grantService, { params: { delegateId: delegate.id, serviceId }, body });

    for (const serviceId of [other.id, 'ser_none', 'no id']) {
      await expect(grants(serviceId)).rejects.toEqual(refused('services.not_found', 404));
      await expect(company.delegates.revokes(delegate, serviceId)).rejects.toEqual(refused('services.not_found', 404));
    }
    for (const clear of [KEY.passphrase, '', '{}', JSON.stringify({ _enc: 1, k: 'x', iv: 'y', d: 'z' })]) {
      await expect(grants(id, { passphrase: clear as never })).rejects.toEqual(refused('contact_data.encryption_required', 400));
    }
    const long = (await seals(delegate, 'x')).replace('"d":"', `"d":"${'A'.repeat(DELEGATES.passphrase_chars)}`);
    await expect(grants(id, { passphrase: long as never })).rejects.toEqual(refused('request.invalid', 400));
    await expect(grants(id, { passphrase: null as never })).rejects.toMatchObject({ status: 400 });
    await expect(grants(id, { key: 'x' } as never)).rejects.toEqual(refused('request.invalid', 400));
    expect(await rowsOf(company, 'delegate_grant')).toEqual([]);
    for (const hostile of ['no id', 'x'.repeat(65), "' or true --"])
      await expect(company.delegates.removes({ id: hostile })).rejects.toEqual(notFound);
    const badPage = company.asks(delegates.listDelegates, { query: { limit: 0 } });
    await expect(badPage).rejects.toEqual(refused('request.invalid', 400));
    await expect(company.asks(delegates.listDelegates, { query: { cursor: 'x' } })).rejects.toEqual(refused('request.invalid', 400));
  });

  it('get no key of a service whose private key is not stored', async () => {
    const { company, id } = await club();
    const ana = await somebody();
    const delegate = await company.delegates.adds(ana);
    await execute(database('region_eu'), sql`update service set encrypted_private_key = null where service_id = ${id}`);

    await expect(company.delegates.grants(delegate, id, KEY.passphrase)).rejects.toEqual(refused('request.invalid', 400));
    await company.delegates.grants(delegate, id);
    expect((await ana.delegations.reads(delegate, id)).key).toBeNull();
  });

  it('can be queried over the bus only by their own home region', async () => {
    const { company, id } = await club();
    const [ana, ben] = [await somebody(), await somebody('us')];
    const ids: string[] = [];
    for (const user of [ana, ben]) {
      const delegate = await company.delegates.adds(user);
      await company.delegates.grants(delegate, id, KEY.passphrase);
      ids.push(delegate.id);
    }
    const us = await moving.world.busAs('platform-region-us');
    const asks = ({ user_id }: User, delegation_id: string) => {
      const key = { user_id, delegation_id, service_id: id };
      return [
        us.request(DELEGATION_SUBJECTS.list, { region: 'eu' }, { user_id }),
        us.request(DELEGATION_SUBJECTS.readKey, { region: 'eu' }, key),
        us.request(DELEGATION_SUBJECTS.leave, { region: 'eu' }, { user_id, delegation_id }),
      ];
    };

    expect(reasonsOf(await Promise.allSettled(asks(ana, ids[0]!)))).toEqual(times(3, refused('service.unavailable', 503)));
    expect(await company.delegates.lists()).toMatchObject([{ services: [{ key_read_at: null }] }, {}]);
    expect((await Promise.allSettled(asks(ben, ids[1]!)))[0]).toMatchObject({ status: 'fulfilled' });
  });

  it('are visible only to their company, and a delegation only to its delegate', async () => {
    const { company, id } = await club();
    const other = await club();
    const [ana, ben] = [await somebody('us'), await somebody('us')];
    const delegate = await company.delegates.adds(ana);
    await company.delegates.grants(delegate, id, KEY.passphrase);
    const others = await other.company.delegates.adds(ben);

    expect(await other.company.delegates.lists()).toEqual([others]);
    await expect(other.company.delegates.removes(delegate)).rejects.toEqual(notFound);
    await expect(other.company.delegates.grants(delegate, other.id)).rejects.toEqual(notFound);
    await expect(other.company.delegates.revokes(delegate, id)).rejects.toEqual(notFound);
    await expect(ben.delegations.reads(delegate, id)).rejects.toEqual(notFound);
    await expect(ben.delegations.reads(others, id)).rejects.toEqual(notFound);
    await expect(ben.delegations.leaves(delegate)).rejects.toEqual(notFound);
    await expect(company.delegations.reads(delegate, id)).rejects.toEqual(notFound);
    expect(await ben.delegations.lists()).toMatchObject([{ id: others.id }]);
    expect(await ana.delegations.lists()).toMatchObject([{ id: delegate.id, services: [{ service_id: id }] }]);
    expect(await rowsOf(company, 'delegate_grant')).toMatchObject([{ key_read_at: null }]);
  });

  it('are managed by an account client with the capability, which cannot read delegations', async () => {
    const { company, id } = await club();
    const ana = await somebody();
    const clientWith = async (capabilities: readonly ('delegate_management' | 'service_management')[]) =>
      moving.world.backendOf(
        company,
        await company.asks(accountClients.createAccountClient, { body: { name: capabilities.join(), capabilities: [...capabilities] } }),
      );
    const [robot, other] = [await clientWith(['delegate_management']), await clientWith(['service_management'])];
    const forbidden = refused('auth.client_endpoint_forbidden', 403);

    const delegate = await robot.asks(delegates.addDelegate, { body: { share_code: ana.share_code } });
    const params = { delegateId: delegate.id, serviceId: id };
    await robot.asks(delegates.grantService, { params, body: {} });
    expect((await robot.asks(delegates.listDelegates, { query: {} })).items).toMatchObject([{ services: [{ service_id: id }] }]);
    await robot.asks(delegates.revokeService, { params });
    await expect(other.asks(delegates.listDelegates, { query: {} })).rejects.toEqual(forbidden);
    await expect(robot.asks(delegations.listDelegations, {})).rejects.toEqual(forbidden);
    await expect(robot.asks(delegations.leaveDelegation, { params: { delegationId: delegate.id } })).rejects.toEqual(forbidden);
    await robot.asks(delegates.removeDelegate, { params: { delegateId: delegate.id } });
  });

  it("gain no right over the company's services", async () => {
    const { company, id } = await club();
    const nova = await someCompany();
    const delegate = await company.delegates.adds(nova);
    await company.delegates.grants(delegate, id, KEY.passphrase);

    await expect(nova.asks(services.readService, { params: { id } })).rejects.toEqual(refused('services.not_found', 404));
    await expect(nova.delegates.grants(delegate, id)).rejects.toEqual(notFound);
    expect((await nova.asks(services.listServices, { query: {} })).items).toEqual([]);
  });

  it('are limited per company and in services each, also with concurrent additions @gap D1-8', async () => {
    const { company, id } = await club();
    const [ana, ben] = [await somebody(), await somebody('us')];
    const delegate = await company.delegates.adds(ana);
    await execute(
      database('region_eu'),
      sql`
      insert into delegate (delegate_id, company_user_id, delegate_user_id, delegate_type, display_name, public_key, created_at)
      select 'dele_fill_' || n, company_user_id, 'usr_fill_' || n, 'person', 'Fill', public_key, created_at + n * interval '1 ms'
        from delegate, generate_series(1, ${DELEGATES.per_company - 2}) n where delegate_id = ${delegate.id}`,
    );
    const [nova, carl] = [await someCompany(), await somebody()];
    const added = await Promise.allSettled([ben, nova, carl].map((user) => company.delegates.adds(user)));
    expect(reasonsOf(added)).toEqual(times(2, tooMany));

    const seen = new Set<string>();
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await company.asks(delegates.listDelegates, { query: { limit: 30, ...(cursor && { cursor }) } });
      for (const item of page.items) seen.add(item.id);
      cursor = page.next_cursor;
    }
    expect(seen.size).toBe(DELEGATES.per_company);

    await execute(
      database('region_eu'),
      sql`
      insert into service (service_id, company_user_id, name, admin_email, share_code, public_key, encrypted_private_key, created_at)
      select service_id || '_' || n, company_user_id, 'Fill', '', 'F' || n, '', encrypted_private_key, created_at
        from service, generate_series(1, ${DELEGATES.services_each}) n where service_id = ${id}`,
    );
    await execute(
      database('region_eu'),
      sql`
      insert into delegate_grant (grant_id, delegate_id, service_id, company_user_id, granted_at)
      select 'grant_' || service_id, ${delegate.id}, service_id, company_user_id, created_at
        from service where company_user_id = ${company.user_id} and service_id <> ${id}`,
    );
    await expect(company.delegates.grants(delegate, id)).rejects.toEqual(tooMany);
    await company.delegates.grants(delegate, `${id}_1`, KEY.passphrase);
    expect((await ana.delegations.lists())[0]!.services).toHaveLength(DELEGATES.services_each);
  });

  it('work for a limited number of companies @gap D1-8', async () => {
    const ana = await somebody();
    const { company } = await club();
    const delegate = await company.delegates.adds(ana);
    await execute(
      database('region_eu'),
      sql`
      with companies as (
        insert into profile (user_id, type, display_name, language, share_code, public_key, created_at)
        select 'usr_many_' || n, 'company', 'Many', 'en', 'MANY' || n, '', now()
          from generate_series(1, ${DELEGATES.companies_per_user - 1}) n
        returning user_id)
      insert into delegate (delegate_id, company_user_id, delegate_user_id, delegate_type, display_name, public_key, created_at)
      select 'dele_' || user_id, user_id, ${ana.user_id}, 'person', 'Ana', '', now() from companies`,
    );

    const other = await club();
    await expect(other.company.delegates.adds(ana)).rejects.toEqual(tooMany);
    await ana.delegations.leaves(delegate);
    await other.company.delegates.adds(ana);
    expect(await ana.delegations.lists()).toHaveLength(DELEGATES.companies_per_user);

    // As if a company had moved here. The oldest are listed, until the user leaves one of them.
    await execute(
      database('region_eu'),
      sql`
      insert into delegate (delegate_id, company_user_id, delegate_user_id, delegate_type, display_name, public_key, created_at)
      values ('dele_more', ${company.user_id}, ${ana.user_id}, 'person', 'Ana', '', now() + interval '1 year')`,
    );
    const listed = await ana.delegations.lists();
    expect(listed.map((one) => one.id)).not.toContain('dele_more');
    await ana.delegations.leaves(listed[0]!);
    expect((await ana.delegations.lists()).at(-1)).toMatchObject({ id: 'dele_more' });
  });

  it('leave no rows behind after concurrent grants, revocations, removals and reads', async () => {
    const { company, id } = await club();
    const ana = await somebody('us');
    for (let round = 0; round < 5; round++) {
      const delegate = await company.delegates.adds(ana);
      await company.delegates.grants(delegate, id, KEY.passphrase);
      const outcomes = await Promise.allSettled([
        company.delegates.grants(delegate, id, KEY.passphrase),
        ana.delegations.reads(delegate, id),
        ana.delegations.reads(delegate, id),
        company.delegates.revokes(delegate, id),
        company.delegates.removes(delegate),
        ana.delegations.leaves(delegate),
        company.delegates.grants(delegate, id),
      ]);
      const reasons = reasonsOf(outcomes);
      expect(reasons).toEqual(times(reasons.length, notFound));
      expect(
        outcomes
          .slice(4, 6)
          .map(({ status }) => status)
          .toSorted(),
      ).toEqual(['fulfilled', 'rejected']);
      expect(await rowsOf(company, 'delegate_grant')).toEqual([]);
      expect(await company.delegates.lists()).toEqual([]);
    }
  });

  it('are recorded once for concurrent first reads of a key', async () => {
    const { company, id } = await club();
    const ana = await somebody('us');
    const delegate = await company.delegates.adds(ana);
    await company.delegates.grants(delegate, id, KEY.passphrase);
    const release = await moving.internals.hold('region_eu', sql`select 1 from delegate_grant where service_id = ${id} for update`);
    const reading = Promise.all([1, 2, 3].map(() => ana.delegations.reads(delegate, id)));
    await moving.internals.someoneWaits('region_eu', 'transactionid');
    await release();

    expect((await reading).every(({ key }) => key !== null)).toBe(true);
    expect((await acts(company)).filter(({ act }) => act === 'delegate.key_read')).toHaveLength(1);
  });

  it('get no key when the grant is revoked during the read', async () => {
    const { company, id } = await club();
    const ana = await somebody();
    const delegate = await company.delegates.adds(ana);
    await company.delegates.grants(delegate, id, KEY.passphrase);
    // The first reading waits for the row that another transaction deletes.
    const runner = database('region_eu').createQueryRunner();
    await runner.startTransaction();
    await runner.query('delete from delegate_grant where service_id = $1', [id]);
    const reading = ana.delegations.reads(delegate, id).then(
      () => 'read',
      (error: unknown) => error,
    );
    await moving.internals.someoneWaits('region_eu', 'transactionid');
    await runner.commitTransaction();
    await runner.release();

    expect(await reading).toEqual(notFound);
    expect((await acts(company)).map(({ act }) => act)).not.toContain('delegate.key_read');
  });

  it('lose the grant when the service is deleted', async () => {
    const { company, id } = await club();
    const ana = await somebody('us');
    const delegate = await company.delegates.adds(ana);
    await company.delegates.grants(delegate, id, KEY.passphrase);
    await execute(
      database('region_eu'),
      sql`update service set transition = 'deleting', transition_due_at = 'infinity' where service_id = ${id}`,
    );
    await expect(ana.delegations.reads(delegate, id)).rejects.toEqual(notFound);
    expect(await ana.delegations.lists()).toMatchObject([{ services: [] }]);
    expect(await company.delegates.lists()).toMatchObject([{ services: [] }]);
    await expect(company.delegates.grants(delegate, id)).rejects.toEqual(refused('services.not_found', 404));
    await execute(database('region_eu'), sql`update service set transition = null, transition_due_at = null where service_id = ${id}`);

    await company.asks(services.deleteService, { params: { id } });
    await expect(ana.delegations.reads(delegate, id)).rejects.toEqual(notFound);
    expect(await rowsOf(company, 'delegate_grant')).toEqual([]);
    expect(await company.delegates.lists()).toMatchObject([{ id: delegate.id, services: [] }]);
  });

  it('leave no grant behind when grants and reads race with the deletion of the service', async () => {
    const company = await moving.newCompany();
    const ana = await somebody('us');
    const delegate = await company.delegates.adds(ana);
    for (let round = 0; round < 5; round++) {
      const { id } = await moving.creates(company, `Club ${round}`);
      await company.delegates.grants(delegate, id, KEY.passphrase);
      const outcomes = await Promise.allSettled([
        company.asks(services.deleteService, { params: { id } }),
        company.delegates.revokes(delegate, id),
        ana.delegations.reads(delegate, id),
        company.delegates.grants(delegate, id),
        ana.delegations.reads(delegate, id),
      ]);
      expect(outcomes[0]!.status).toBe('fulfilled');
      for (const reason of reasonsOf(outcomes) as Refusal[]) expect(['delegates.not_found', 'services.not_found']).toContain(reason.key);
      expect(await rowsOf(company, 'delegate_grant')).toEqual([]);
    }
  });

  describe('when an account is deleted @gap D1-5.8', () => {
    const codeOf = async ({ email }: User) =>
      (await moving.world.mails()).find(({ to, subject }) => to === email && subject.includes('deletes'))!.code!;

    it.each(['eu', 'us'] as const)('a delegate of region %s is removed with the account', async (region) => {
      const { company, id } = await club();
      const ana = await somebody(region);
      const delegate = await company.delegates.adds(ana);
      await company.delegates.grants(delegate, id, KEY.passphrase);
      await ana.phone.requestsDeletion();
      await ana.phone.confirmsDeletion(await codeOf(ana));

      await moving.comesAbout(async () => (await rowsOf(ana, 'delegate')).length === 0, 'the delegation is gone');
      expect(await rowsOf(ana, 'delegating_company', `region_${region}`)).toEqual([]);
      expect(await rowsOf(company, 'delegate_grant')).toEqual([]);
      expect(await company.delegates.lists()).toEqual([]);
      expect((await acts(company)).at(-1)).toMatchObject({ act: 'delegate.left', details: { user_id: ana.user_id } });
      await expect(company.delegates.adds(ana)).rejects.toEqual(refused('keys.not_found', 404));
    });

    it("delegates are released when the company's account is deleted", async () => {
      const company = await moving.newCompany();
      const [ana, ben] = [await somebody('us'), await somebody()];
      await company.delegates.adds(ana);
      await company.delegates.adds(ben);
      await company.asks(accountSecurity.requestDeletion, { body: { password: company.password } });
      await company.asks(accountSecurity.confirmDeletion, { body: { code: await codeOf(company) } });

      await moving.comesAbout(
        async () =>
          (await Promise.all([rowsOf(ana, 'delegating_company', 'region_us'), rowsOf(ben, 'delegating_company')])).flat().length === 0,
        'the notes are gone',
      );
      expect(await rowsOf(company, 'delegate')).toEqual([]);
      expect(await ana.delegations.lists()).toEqual([]);
      expect(await ben.delegations.lists()).toEqual([]);
    });
  });

  describe('during a region move @gap D1-5.6', () => {
    it('delegates of the company that moves remain, and read their keys in the new region', async () => {
      const { company, id } = await club();
      const users = [await somebody('us'), await somebody(), await someCompany('us'), await someCompany()];
      for (const user of users) await company.delegates.grants(await company.delegates.adds(user), id, KEY.passphrase);
      const before = await company.delegates.lists();
      const gone = users[1]!;
      await moving.moves(company, 'us');
      await moving.arrives(company);

      expect(await rowsOf(company, 'delegate')).toEqual([]);
      expect(await company.delegates.lists()).toEqual(before);
      const wrapper = await seals(KEY, 'still readable');
      for (const user of users) {
        const [delegation] = await user.delegations.lists();
        expect(await user.delegations.opens(delegation!, id, wrapper)).toBe('still readable');
      }
      const after = (await acts(company, 'region_us')).map(({ act }) => act).toSorted();
      expect(after).toEqual([...times(4, 'delegate.accepted'), ...times(4, 'delegate.key_read')]);
      await gone.delegations.leaves((await gone.delegations.lists())[0]!);
      expect(await company.delegates.lists()).toHaveLength(3);
      await company.delegates.adds(gone);
      expect(await gone.delegations.lists()).toHaveLength(1);
    });

    it('a company that is a delegate finds its delegations from the new region', async () => {
      const [one, other] = [await club(), await someCompany('us')];
      const nova = await moving.newCompany();
      await one.company.delegates.grants(await one.company.delegates.adds(nova), one.id, KEY.passphrase);
      await other.delegates.adds(nova);
      await moving.moves(nova, 'us');
      await moving.arrives(nova);

      expect(await rowsOf(nova, 'delegating_company')).toEqual([]);
      const delegations = await nova.delegations.lists();
      expect(delegations.map(({ company }) => company.user_id).toSorted()).toEqual([one.company.user_id, other.user_id].toSorted());
      const ofOne = delegations.find(({ company }) => company.user_id === one.company.user_id)!;
      expect(await nova.delegations.opens(ofOne, one.id, await seals(KEY, 'x'))).toBe('x');
      expect(await one.company.delegates.lists()).toMatchObject([{ user_id: nova.user_id, display_name: nova.display_name }]);
    });

    it('a company that is about to leave its region cannot be added as delegate until the move ends', async () => {
      const { company } = await club();
      const [here, there] = [await someCompany(), await someCompany('us')];
      for (const [name, nova] of [['region_eu', here] as const, ['region_us', there] as const]) {
        const sets = (home: string) => execute(database(name), sql`update profile set home = ${home} where user_id = ${nova.user_id}`);
        await sets('leaving');
        await expect(company.delegates.adds(nova)).rejects.toEqual(refused('db.writes_paused', 503));
        await sets('here');
        await company.delegates.adds(nova);
      }
      expect(await company.delegates.lists()).toHaveLength(2);
    });

    it('delegates whose account was deleted during the move are removed on arrival', async () => {
      const { company } = await club();
      const ana = await somebody();
      await company.delegates.adds(ana);
      // As if the account had been deleted in the new region while the rows were on their way.
      await execute(
        database('region_us'),
        sql`insert into deleted_account (user_id, deleted_at) values (${ana.user_id}, now()) on conflict do nothing`,
      );
      await moving.moves(company, 'us');
      await moving.arrives(company);
      expect(await company.delegates.lists()).toEqual([]);
      await execute(database('region_us'), sql`delete from deleted_account where user_id = ${ana.user_id}`);
    });

    it('delegates of a company that is about to leave cannot be changed', async () => {
      const { company, id } = await club();
      const ana = await somebody('us');
      const delegate = await company.delegates.adds(ana);
      await company.delegates.grants(delegate, id, KEY.passphrase);
      await execute(database('region_eu'), sql`update profile set home = 'settling' where user_id = ${company.user_id}`);
      const paused = refused('db.writes_paused', 503);

      await expect(company.delegates.adds(await somebody())).rejects.toEqual(paused);
      await expect(company.delegates.grants(delegate, id)).rejects.toEqual(paused);
      await expect(company.delegates.revokes(delegate, id)).rejects.toEqual(paused);
      await expect(company.delegates.removes(delegate)).rejects.toEqual(paused);
      await expect(ana.delegations.leaves(delegate)).rejects.toEqual(paused);
      await expect(ana.delegations.accepts(delegate)).rejects.toEqual(paused);
      await expect(ana.delegations.reads(delegate, id)).rejects.toEqual(paused);
      expect(await ana.delegations.lists()).toHaveLength(1);
      await execute(database('region_eu'), sql`update profile set home = 'here' where user_id = ${company.user_id}`);
      expect((await ana.delegations.reads(delegate, id)).key).not.toBeNull();
    });
  });

  // Last, because it switches a whole region off.
  describe('while another region is out of order', () => {
    it('delegates are listed by their stored names, and list delegations of their own region', async () => {
      const { company } = await club();
      const [ana, ben, carl] = [await somebody('us'), await somebody(), await somebody('us')];
      await ana.delegations.accepts(await company.delegates.adds(ana));
      await company.delegates.adds(ben);
      await ana.asks(account.changeProfile, { body: { display_name: 'Renamed' } });
      await showsName(company, 'Renamed');
      await mode('us', { out_of_order: true });
      try {
        await showsName(company, ana.display_name);
        expect(await ben.delegations.lists()).toHaveLength(1);
        await expect(company.delegates.adds(carl)).rejects.toEqual(refused('platform.out_of_order', 503));
      } finally {
        await mode('us', { out_of_order: false });
      }
      await showsName(company, 'Renamed');
      await company.delegates.adds(carl);
    });
  });
});
