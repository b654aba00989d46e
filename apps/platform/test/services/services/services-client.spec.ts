import { companyData, FRONT_DOOR, OPERATOR, serviceClient, services, type Refusal } from '@codase/contracts';
import { execute, one, sql } from '@codase/runtime/db';
import { eventually, World, type Backend, type Company } from '@codase/testing';
import { PlatformInternals } from '../../support/platform-internals.ts';

const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });

describe('the data client of a service @spec D1-2.1 @spec D1-5.1', () => {
  let world: World;
  let acme: Company;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    acme = world.acme;
  });
  afterAll(() => world?.close());

  const newService = async (company: Company): Promise<{ id: string }> => {
    const [shop] = (await acme.asks(services.listServices, { query: { limit: 1 } })).items;
    const { id } = await company.asks(services.createService, {
      body: {
        name: 'Club',
        admin_email: 'club@acme.example',
        public_key: company.public_key,
        encrypted_private_key: { ...shop!.encrypted_private_key, iter: 100_000 },
      },
    });
    return { id };
  };
  const registers = async (params: { id: string }, redirect_uri?: string): Promise<Backend> => {
    const { client_id, client_secret } = await acme.asks(serviceClient.createServiceClient, { params, body: { redirect_uri } });
    return world.backendOf(acme, { client_id, client_secret, service_id: params.id });
  };
  const kinds = async (params: { id: string }) =>
    (await acme.asks(services.readServiceLogs, { params, query: {} })).items.map(({ kind }) => kind);

  it('is registered with a secret that is shown once, and calls the API as its service', async () => {
    const params = await newService(acme);
    const made = await acme.asks(serviceClient.createServiceClient, { params, body: {} });
    const backend = world.backendOf(acme, { ...made, service_id: params.id });

    expect(made).toMatchObject({
      client_id: expect.stringMatching(/^svc_\w{24}$/),
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      grant_types: ['client_credentials'],
      redirect_uri: null,
    });
    expect(await backend.asks(companyData.whoami, {})).toEqual({ company_user_id: acme.user_id, service_id: params.id });

    const { client_secret: _, ...known } = made;
    expect(await acme.asks(serviceClient.readServiceClient, { params })).toEqual({ ...known, dpop_bound_access_tokens: false });
    expect(await kinds(params)).toContain('client_created');
  });

  it('never has its secret sent over the bus', async () => {
    const heard: string[] = [];
    const { connection } = await world.busAs('platform-front-door');
    connection.subscribe('codase.front-door.v1.eu.*', { callback: (_, message) => void heard.push(message.string()) });
    await connection.flush();

    const params = await newService(acme);
    const { client_secret } = await registers(params);
    const replaced = await acme.asks(serviceClient.regenerateServiceSecret, { params });
    await connection.flush();

    expect(heard.join()).toContain(params.id);
    for (const secret of [client_secret, replaced.client_secret]) expect(heard.join()).not.toContain(secret);
  });

  it('is registered only once, even by ten concurrent requests @spec D1-7', async () => {
    const params = await newService(acme);
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => registers(params)));

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(registers(params)).rejects.toEqual(refused('services.client_exists', 409));
    expect((await kinds(params)).filter((kind) => kind === 'client_created')).toHaveLength(1);
  });

  it('requires a level above free', async () => {
    const company = await world.signsUp({ type: 'company', region: 'eu' });
    const params = await newService(company);
    await expect(company.asks(serviceClient.createServiceClient, { params, body: {} })).rejects.toEqual(
      refused('account.level_required', 403),
    );

    const operator = await world.operator('platform');
    await operator.request(OPERATOR.setLevel, {}, { user_id: company.user_id, level: 'basic' });
    expect(await company.asks(serviceClient.createServiceClient, { params, body: {} })).toHaveProperty('client_secret');
  });

  it('has a redirect URI for authorization codes, which can be changed and removed @spec D1-2.1', async () => {
    const params = await newService(acme);
    await registers(params, 'https://acme.example/back');
    const changes = (redirect_uri: string | null) => acme.asks(serviceClient.changeServiceClient, { params, body: { redirect_uri } });

    expect(await acme.asks(serviceClient.readServiceClient, { params })).toMatchObject({
      redirect_uri: 'https://acme.example/back',
      grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
    });
    expect(await changes('com.acme.app:/back')).toMatchObject({ redirect_uri: 'com.acme.app:/back' });
    const leftOut = await acme.asks(serviceClient.changeServiceClient, { params, body: {} });
    expect(leftOut).toMatchObject({ redirect_uri: 'com.acme.app:/back' });
    expect(await changes(null)).toMatchObject({ redirect_uri: null, grant_types: ['client_credentials'] });
    await expect(changes('javascript:alert(1)')).rejects.toEqual(refused('account_clients.redirect_uri_invalid', 400));
    await expect(registers(await newService(acme), 'nowhere')).rejects.toEqual(refused('account_clients.redirect_uri_invalid', 400));
  });

  it.each([[{ client_id: 'svc_mine' }], [{ client_secret: 'mine' }]])(
    "cannot be given an id or secret of the caller's choice: %j",
    async (body) => {
      const params = await newService(acme);

      await expect(acme.asks(serviceClient.createServiceClient, { params, body: body as object })).rejects.toEqual(
        refused('request.invalid', 400),
      );
      await registers(params);
      await expect(acme.asks(serviceClient.changeServiceClient, { params, body: body as object })).rejects.toEqual(
        refused('request.invalid', 400),
      );
    },
  );

  it('loses its tokens and its old secret when the secret is regenerated @spec D1-5.1', async () => {
    const params = await newService(acme);
    const before = await registers(params);
    await before.getsToken();

    const { client_id, client_secret } = await acme.asks(serviceClient.regenerateServiceSecret, { params });
    expect(client_id).toBe(before.client_id);
    await expect(before.asks(companyData.whoami, {})).rejects.toEqual(refused('auth.token_invalid', 401));
    await expect(before.getsToken()).rejects.toEqual(refused('oauth.invalid_client', 401));

    const after = world.backendOf(acme, { client_id, client_secret, service_id: params.id });
    expect(await after.asksWhoami()).toMatchObject({ service_id: params.id });
    expect(await kinds(params)).toContain('client_secret_replaced');
  });

  it('is deleted with its tokens, and can be registered again', async () => {
    const params = await newService(acme);
    const before = await registers(params);
    await before.getsToken();
    await acme.asks(serviceClient.deleteServiceClient, { params });

    await expect(before.asks(companyData.whoami, {})).rejects.toEqual(refused('auth.token_invalid', 401));
    expect((await registers(params)).client_id).not.toBe(before.client_id);
  });

  it.each([
    ['read', (params: { id: string }) => acme.asks(serviceClient.readServiceClient, { params })],
    ['changed', (params: { id: string }) => acme.asks(serviceClient.changeServiceClient, { params, body: {} })],
    ['deleted', (params: { id: string }) => acme.asks(serviceClient.deleteServiceClient, { params })],
    ['given a new secret', (params: { id: string }) => acme.asks(serviceClient.regenerateServiceSecret, { params })],
    ['given a second secret', (params: { id: string }) => acme.asks(serviceClient.rotateServiceSecret, { params, body: {} })],
    ['left with one secret', (params: { id: string }) => acme.asks(serviceClient.endOldServiceSecret, { params })],
  ])('cannot be %s before it is registered, and nothing is logged', async (_, reach) => {
    const params = await newService(acme);

    await expect(reach(params)).rejects.toEqual(refused('services.client_not_found', 404));
    expect(await kinds(params)).toEqual(['service_created']);
  });

  it('refuses a negative number of hours for keeping an old secret', async () => {
    const rotates = acme.asks(serviceClient.rotateServiceSecret, { params: await newService(acme), body: { keep_old_hours: -1 } });

    await expect(rotates).rejects.toMatchObject({ key: 'request.invalid', status: 400 });
  });

  it('is not found by another company', async () => {
    const neighbour = await world.signsUp({ type: 'company', region: 'eu' });
    const params = { id: world.shop.service_id! };
    const reaches = [
      neighbour.asks(serviceClient.createServiceClient, { params, body: {} }),
      neighbour.asks(serviceClient.readServiceClient, { params }),
      neighbour.asks(serviceClient.changeServiceClient, { params, body: {} }),
      neighbour.asks(serviceClient.deleteServiceClient, { params }),
      neighbour.asks(serviceClient.regenerateServiceSecret, { params }),
      neighbour.asks(serviceClient.rotateServiceSecret, { params, body: {} }),
      neighbour.asks(serviceClient.endOldServiceSecret, { params }),
    ];

    for (const reach of reaches) await expect(reach).rejects.toEqual(refused('services.not_found', 404));
    expect(await world.shop.asksWhoami()).toMatchObject({ service_id: params.id });
  });

  it('is deleted with its service', async () => {
    const params = await newService(acme);
    const backend = await registers(params);
    await backend.getsToken();
    await acme.asks(services.deleteService, { params });

    await expect(backend.asks(companyData.whoami, {})).rejects.toEqual(refused('auth.token_invalid', 401));
    await expect(backend.getsToken()).rejects.toEqual(refused('oauth.invalid_client', 401));
  });

  describe('the data client after an interrupted transition', () => {
    let internals: PlatformInternals;
    beforeAll(async () => {
      internals = await PlatformInternals.open(world, ['front_door', 'region_eu']);
    });

    const marks = (params: { id: string }, transition: string, client_id: string | null = null) =>
      execute(
        internals.database('region_eu'),
        sql`
        update service set transition = ${transition}, transition_client_id = ${client_id}, transition_due_at = '2000-01-01'
         where service_id = ${params.id}`,
      );
    const transitionOf = (params: { id: string }) =>
      one<{ transition: string | null }>(
        internals.database('region_eu'),
        sql`select transition from service where service_id = ${params.id}`,
      );
    const isSettled = (params: { id: string }) =>
      eventually(async () => ((await transitionOf(params))?.transition === null ? true : undefined));
    const client = (params: { id: string }, client_id: string) => ({
      client_id,
      kind: 'service' as const,
      company_user_id: acme.user_id,
      service_id: params.id,
      name: 'Club',
      purpose: null,
      capabilities: [],
      redirect_uri: null,
      secret_digest: 'nobody',
    });

    it('is deleted with a service whose deletion was begun and not finished', async () => {
      const params = await newService(acme);
      const backend = await registers(params);
      await marks(params, 'deleting');

      await eventually(async () => ((await transitionOf(params)) === undefined ? true : undefined));
      await expect(backend.getsToken()).rejects.toEqual(refused('oauth.invalid_client', 401));
    });

    it('is not registered for a service that is being deleted, even by a delayed request', async () => {
      const params = await newService(acme);
      const operator = await world.operator('platform');
      const own = { company_user_id: acme.user_id, service_id: params.id };

      await operator.request(FRONT_DOOR.withdrawClient, { region: 'eu' }, own);
      await operator.request(FRONT_DOOR.withdrawClient, { region: 'eu' }, own);
      await expect(operator.request(FRONT_DOOR.registerClient, { region: 'eu' }, client(params, 'svc_too_late'))).rejects.toMatchObject({
        key: 'services.not_found',
      });
    });

    it('is withdrawn when its secret was never delivered, and can be registered again', async () => {
      const params = await newService(acme);
      const operator = await world.operator('platform');
      await operator.request(FRONT_DOOR.registerClient, { region: 'eu' }, client(params, 'svc_unanswered'));
      expect(await operator.request(FRONT_DOOR.registerClient, { region: 'eu' }, client(params, 'svc_unanswered'))).toMatchObject({
        name: 'Club',
      });
      await marks(params, 'creating_client', 'svc_unanswered');

      await isSettled(params);
      expect(await (await registers(params)).asksWhoami()).toMatchObject({ service_id: params.id });
      await expect(operator.request(FRONT_DOOR.registerClient, { region: 'eu' }, client(params, 'svc_unanswered'))).rejects.toMatchObject({
        key: 'services.not_found',
      });
    });

    it('is not returned by a registration so slow that the client was withdrawn meanwhile', async () => {
      const params = await newService(acme);
      const release = await internals.hold('front_door', sql`select from account where user_id = ${acme.user_id} for update`);
      const slow = registers(params).then(
        () => undefined,
        (error: Refusal) => error.key,
      );
      await internals.someoneWaits('front_door');
      await world.passes({ minutes: 1 });
      await eventually(async () => ((await transitionOf(params))?.transition === 'withdrawing_client' ? true : undefined));
      await release();

      expect(await slow).toBe('service.unavailable');
      await world.passes({ minutes: 1 });
      await isSettled(params);
      expect(await registers(params)).toHaveProperty('client_id');
    });
  });
});
