import { CONNECT_REQUESTS, connectRequests, SEALED_CHARS, serviceClient, services } from '@codase/contracts';
import { execute, one, sql } from '@codase/runtime/db';
import { eventually, type Backend, type Company, type Person } from '@codase/testing';
import { asksFor, hears, refused } from '../connections/connections-world.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { MovingWorld } from '../../support/moving-world.ts';

const notFound = refused('company_connections.request_not_found', 404);

describe('connect requests @spec D1-4.2 @spec D1-6.1', () => {
  let moving: MovingWorld;
  let shop: Backend;
  beforeAll(async () => {
    moving = await MovingWorld.open();
    ({ shop } = moving.world);
    await asksFor(moving.world.acme, shop.service_id!, [{ slug: 'mail', label: 'E-mail', type: 'email', mandatory: true }]);
  });
  afterAll(() => moving?.close());

  const somebody = (region: 'eu' | 'us' = 'eu') => moving.world.signsUp({ type: 'person', region });
  /** The kinds of events that a backend got about a person, with the connect request that each is about. */
  const heardOf = async ({ user_id }: Person, backend = shop) =>
    (await hears(backend))
      .filter(({ person_user_id }) => person_user_id === user_id)
      .map((event) => ('request_id' in event ? `${event.event} ${event.request_id}` : event.event));
  const answers = { mail: 'ana@person.example' };

  describe.each(['eu', 'us'] as const)('to a person at home in %s', (region) => {
    it('appear at once with the service that sent them, and connect the person who accepts', async () => {
      const ana = await somebody(region);
      const phone = ana.phone.listens();
      await phone.hears('reset');
      const { request_id } = await shop.invites(ana, 'You asked us for an offer');

      expect((await phone.hears('connection_requested')).data).toEqual({ request_id });
      const [request, ...more] = await ana.invitations.lists();
      expect(more).toEqual([]);
      expect(request).toMatchObject({
        request_id,
        service: { service_id: shop.service_id, name: 'Shop', company: { share_code: 'ACME' }, public_key: shop.public_key },
        message: 'You asked us for an offer',
      });
      await expect(ana.invitations.accepts(request!)).rejects.toEqual(refused('company_connections.values_invalid', 400));
      const sealed = await ana.sealsFor(shop, 'x');
      const long = sealed.replace('"d":"', `"d":"${'A'.repeat(SEALED_CHARS)}`);
      for (const [slug, value, key] of [
        ['mail', 'ana@person.example', 'contact_data.encryption_required'],
        ['mail', long, 'documents.too_large'],
        ['no slug', sealed, 'request.invalid'],
      ] as const) {
        const accepting = { params: { requestId: request_id }, body: { values: [{ slug, value }] } };
        await expect(ana.asks(connectRequests.acceptConnectRequest, accepting)).rejects.toEqual(refused(key, 400));
      }

      const connection = await ana.invitations.accepts(request!, answers);
      expect(connection.service.service_id).toBe(shop.service_id);
      expect((await phone.hears('connection_request_closed')).data).toEqual({ request_id });
      await phone.leaves();
      expect(await heardOf(ana)).toEqual(['connection_created', `connection_request_accepted ${request_id}`]);
      expect(await ana.invitations.lists()).toEqual([]);
      await expect(ana.invitations.accepts(request!, answers)).rejects.toEqual(notFound);
      await expect(ana.invitations.rejects(request!)).rejects.toEqual(notFound);
      await expect(shop.invites(ana)).rejects.toEqual(refused('company_connections.exists', 409));
    });

    it('are refused for a time after the person has rejected one', async () => {
      const ben = await somebody(region);
      const { request_id } = await shop.invites(ben);
      await ben.invitations.rejects({ request_id });

      expect(await heardOf(ben)).toEqual([`connection_request_rejected ${request_id}`]);
      expect(await ben.invitations.lists()).toEqual([]);
      await expect(ben.invitations.rejects({ request_id })).rejects.toEqual(notFound);
      await expect(shop.invites(ben)).rejects.toMatchObject({
        key: 'company_connections.request_rejected',
        status: 409,
        retryAfter: CONNECT_REQUESTS.days * 24 * 60 * 60,
      });
      const connection = await ben.connections.connects('ACME/SHOP', answers);
      expect(connection.service.service_id).toBe(shop.service_id);
      expect(await heardOf(ben)).toEqual(['connection_created']);
    });
  });

  it('are created once for repeated and concurrent calls', async () => {
    const ana = await somebody();
    const phone = ana.phone.listens();
    await phone.hears('reset');
    const requests = await Promise.all([1, 2, 3].map(() => shop.invites(ana, 'Please')));
    expect(new Set(requests.map(({ request_id }) => request_id)).size).toBe(1);

    const answered = await Promise.allSettled([ana.invitations.rejects(requests[0]!), ana.invitations.rejects(requests[0]!)]);
    expect(answered.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await heardOf(ana)).toHaveLength(1);
    await phone.hears('connection_request_closed');
    expect(phone.heard.map(({ event }) => event)).toEqual(['reset', 'connection_requested', 'connection_request_closed']);
    await phone.leaves();
  });

  it("are accepted when the person connects by code, and the feed has only the person's latest answer @spec D1-6.2", async () => {
    const ana = await somebody();
    const { request_id } = await shop.invites(ana);
    const connection = await ana.connections.connects('ACME/SHOP', answers);
    expect(await ana.invitations.lists()).toEqual([]);
    await ana.connections.disconnects(connection);
    const again = await shop.invites(ana);
    await ana.invitations.rejects(again);

    expect(again.request_id).not.toBe(request_id);
    expect(await heardOf(ana)).toEqual(['connection_created', 'connection_deleted', `connection_request_rejected ${again.request_id}`]);
  });

  it('are accepted when the person connects by code at the same moment', async () => {
    const ana = await somebody();
    const db = moving.internals.database('region_eu');
    const holder = db.createQueryRunner();
    await holder.startTransaction();
    await holder.query('lock table connect_request in share row exclusive mode'); // no request is stored until this transaction ends
    const asking = shop.invites(ana);
    await eventually(async () => (await lockWaits(db, 'relation')) > 0 || undefined);
    let isConnected = false;
    const connecting = ana.connections.connects('ACME/SHOP', answers).finally(() => (isConnected = true));
    await eventually(async () => isConnected || (await lockWaits(db, 'advisory')) > 0 || undefined);
    await holder.commitTransaction();
    await holder.release();
    const [{ request_id }] = await Promise.all([asking, connecting]);

    expect(await ana.invitations.lists()).toEqual([]);
    expect(await heardOf(ana)).toEqual(['connection_created', `connection_request_accepted ${request_id}`]);
  });

  it('are accepted only for existing persons to whom the service is open @spec D1-7', async () => {
    const [ana, { service_id: id }] = [await somebody(), shop];
    const audience = (kind: 'b2b' | 'both') =>
      execute(moving.internals.database('region_eu'), sql`update service set audience = ${kind} where service_id = ${id}`);

    await expect(shop.invites({ share_code: 'NOBODY0' })).rejects.toEqual(refused('keys.not_found', 404));
    await expect(shop.invites({ share_code: 'no code' })).rejects.toEqual(refused('keys.not_found', 404));
    await expect(shop.invites(moving.world.acme)).rejects.toEqual(refused('company_connections.persons_only', 400));
    await expect(shop.invites(moving.world.bolt)).rejects.toEqual(refused('company_connections.persons_only', 400));
    await expect(shop.invites(ana, 'x'.repeat(201))).rejects.toEqual(refused('request.invalid', 400));
    const { request_id } = await shop.invites(ana);
    await audience('b2b');
    await expect(shop.invites(await somebody())).rejects.toEqual(refused('services.audience_b2b_only', 403));
    const [request] = await ana.invitations.lists();
    await expect(ana.invitations.accepts(request!, answers)).rejects.toEqual(refused('services.audience_b2b_only', 403));
    await audience('both');
    await expect((await somebody()).invitations.rejects({ request_id })).rejects.toEqual(notFound);
    await expect((await somebody()).invitations.accepts(request!, answers)).rejects.toEqual(notFound);
  });

  it('are refused to a person with too many open ones', async () => {
    const ana = await somebody();
    const { request_id } = await shop.invites(ana);
    await execute(
      moving.internals.database('region_eu'),
      sql`
      insert into service (service_id, company_user_id, name, admin_email, share_code, public_key, created_at)
      select 'ser_asks_' || n, ${shop.company_user_id}, 'Asks', '', 'ASKS' || n, '', now()
        from generate_series(1, ${CONNECT_REQUESTS.open_per_person}) n`,
    );
    await execute(
      moving.internals.database('region_eu'),
      sql`
      insert into connect_request (request_id, company_user_id, service_id, person_user_id, share_code, asked_at)
      select 'creq_full_' || n, company_user_id, 'ser_asks_' || n, person_user_id, share_code, asked_at
        from connect_request, generate_series(1, ${CONNECT_REQUESTS.open_per_person}) n
       where request_id = ${request_id}`,
    );
    await execute(moving.internals.database('region_eu'), sql`delete from connect_request where request_id = ${request_id}`);

    await expect(shop.invites(ana)).rejects.toMatchObject({
      key: 'company_connections.too_many_requests',
      status: 429,
      retryAfter: undefined,
    });
    expect(await ana.invitations.lists()).toHaveLength(CONNECT_REQUESTS.open_per_person);
  });

  describe('when the company moves', () => {
    let company: Company;
    let backend: Backend;
    let service: string;
    beforeAll(async () => {
      company = await moving.world.signsUp({ type: 'company', region: 'eu', level: 'pro' });
      ({ id: service } = await moving.creates(company, 'Club'));
      const client = await company.asks(serviceClient.createServiceClient, { params: { id: service }, body: {} });
      backend = moving.world.backendOf(company, { ...client, service_id: service } as never);
    });
    const left = (name: 'region_eu' | 'region_us', person: Person) =>
      one(moving.internals.database(name), sql`select 1 from connect_request where person_user_id = ${person.user_id} limit 1`);

    it('move with the company, and are answered in the new region', async () => {
      const [ana, ben, carl] = [await somebody(), await somebody('us'), await somebody()];
      const { request_id } = await backend.invites(ana);
      await backend.invites(ben);
      await backend.invites(carl);
      await moving.moves(company, 'us');
      await moving.arrives(company);

      const [request] = await ana.invitations.lists();
      expect(request).toMatchObject({ request_id, service: { service_id: service } });
      await ana.invitations.accepts(request!);
      await ben.invitations.rejects((await ben.invitations.lists())[0]!);
      expect(await heardOf(ana, backend)).toEqual(['connection_created', `connection_request_accepted ${request_id}`]);
      expect([await left('region_eu', carl), await left('region_us', carl)]).toEqual([undefined, expect.anything()]);

      await company.asks(services.deleteService, { params: { id: service } });
      expect(await left('region_us', carl)).toBeUndefined();
      expect(await carl.invitations.lists()).toEqual([]);
    });
  });

  it('are deleted with the account of the person @gap D1-5.8', async () => {
    const ana = await somebody('us');
    const { request_id } = await shop.invites(ana);
    await ana.phone.requestsDeletion();
    const mail = (await moving.world.mails()).find(({ to, subject }) => to === ana.email && subject.includes('deletes'));
    await ana.phone.confirmsDeletion(mail!.code!);
    const row = () => one(moving.internals.database('region_eu'), sql`select 1 from connect_request where request_id = ${request_id}`);

    await moving.comesAbout(async () => (await row()) === undefined, 'the request is gone');
    await expect(shop.invites(ana)).rejects.toEqual(refused('keys.not_found', 404));
  });

  it('expire, and can then be sent again', async () => {
    const [ana, ben] = [await somebody(), await somebody()];
    const [waiting, rejected] = [await shop.invites(ana), await shop.invites(ben)];
    await ben.invitations.rejects(rejected);
    await moving.world.passes({ hours: 24 * CONNECT_REQUESTS.days });
    await Promise.all([shop.getsToken(), ana.signsIn(), ben.signsIn()]);

    expect(await ana.invitations.lists()).toEqual([]);
    await expect(ana.invitations.rejects(waiting)).rejects.toEqual(notFound);
    expect((await shop.invites(ana)).request_id).not.toBe(waiting.request_id);
    expect((await shop.invites(ben)).request_id).not.toBe(rejected.request_id);
  });
});
