import { account, ACCOUNT_CLIENTS, accountClients, FRONT_DOOR, OPERATOR, TokenResponse, tokens, type Request } from '@codase/contracts';
import { eventually, BusRecorder, World } from '@codase/testing';
import type { Bus } from '@codase/runtime/bus';

type Wanted = Request<typeof accountClients.createAccountClient>['body'];

describe('account clients @spec D1-2.1 @spec D1-4.6', () => {
  let world: World;
  let operator: Bus;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    operator = await world.operator('platform');
  });
  afterAll(() => world?.close());

  const creates = (wanted: Partial<Wanted> = {}, company = world.acme) =>
    company.asks(accountClients.createAccountClient, { body: { name: 'Deployment', capabilities: ['service_management'], ...wanted } });
  const lists = (query: { limit?: number; cursor?: string } = {}, company = world.acme) =>
    company.asks(accountClients.listAccountClients, { query });
  const tokenOf = ({ client_id, client_secret }: { client_id: string; client_secret: string }) =>
    world.stranger.asks(tokens.issueToken, { body: { grant_type: 'client_credentials', client_id, client_secret } });
  const readsAccount = ({ access_token, api_url }: TokenResponse) =>
    world.stranger.asks(account.readAccount, {}, { at: api_url!, token: access_token });

  it('are registered by their company, and their secret is shown once @spec D1-5.9', async () => {
    const { client_secret, ...client } = await creates({ purpose: 'ci.deploy', redirect_uri: 'https://acme.example/back' });

    expect(client).toEqual({
      client_id: expect.stringMatching(/^acct_\w{24}$/),
      name: 'Deployment',
      purpose: 'ci.deploy',
      capabilities: ['service_management'],
      redirect_uri: 'https://acme.example/back',
    });
    expect(client_secret).toMatch(/^[\w-]{43}$/);
    expect((await tokenOf({ ...client, client_secret })).api_url).toBe(world.regionUrl('eu'));
    const listed = (await lists()).items.find(({ client_id }) => client_id === client.client_id);
    expect(listed).toEqual({ ...client, dpop_bound_access_tokens: false, created_at: expect.any(String) });
  });

  it('are listed in pages, oldest first, to their own company only', async () => {
    const made = await boltHas(['a', 'b', 'c']);

    const first = await lists({ limit: 2 }, world.bolt);
    const rest = await lists({ limit: 2, cursor: first.next_cursor! }, world.bolt);

    expect([...first.items, ...rest.items].map(({ client_id }) => client_id)).toEqual(made);
    expect(rest.next_cursor).toBeNull();
    expect((await lists({}, world.acme)).items.filter(({ client_id }) => made.includes(client_id))).toEqual([]);
    await expect(lists({ cursor: 'made-up' })).rejects.toMatchObject({ key: 'request.invalid', status: 400 });
  });

  it.each<[string, Partial<Wanted>, string]>([
    ['without a name', { name: ' ' }, 'account_clients.name_invalid'],
    ['with a malformed redirect address', { redirect_uri: 'acme' }, 'account_clients.redirect_uri_invalid'],
    ['with a blank purpose', { purpose: ' ' }, 'account_clients.purpose_invalid'],
    ['with a purpose of the platform', { purpose: 'crm:sync' }, 'account_clients.purpose_reserved'],
    ['with an unknown group', { capabilities: ['everything'] as never }, 'request.invalid'],
  ])('are refused at registration %s', async (_, wanted, key) => {
    await expect(creates(wanted)).rejects.toMatchObject({ key, status: 400 });
  });

  describe('the purpose of an account client', () => {
    it('is refused at the front door too when the platform reserves it', async () => {
      await expect(operator.request(FRONT_DOOR.registerClient, { region: 'eu' }, managed('crm:sync'))).rejects.toMatchObject({
        key: 'account_clients.purpose_reserved',
      });
    });

    it('is unique within a company, also with concurrent registrations', async () => {
      const tries = await Promise.allSettled(Array.from({ length: 30 }, () => creates({ purpose: 'contested' })));

      const lost = tries.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as { key: string; status: number });
      expect(lost).toHaveLength(29);
      expect(new Set(lost.map(({ key, status }) => `${status} ${key}`))).toEqual(new Set(['409 account_clients.purpose_taken']));
      expect((await lists({ limit: 200 })).items.filter(({ purpose }) => purpose === 'contested')).toHaveLength(1);
    });

    it('may repeat in another company, and may be null for many clients', async () => {
      await creates({ purpose: 'shared' });

      expect((await creates({ purpose: 'shared' }, world.bolt)).purpose).toBe('shared');
      expect((await Promise.all([creates(), creates({ purpose: null })])).map(({ purpose }) => purpose)).toEqual([null, null]);
    });
  });

  it('are limited in number per company, also with concurrent registrations @gap D1-2.1', async () => {
    await boltHas(Array.from({ length: ACCOUNT_CLIENTS - 2 }, (_, i) => `client ${i}`));

    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => creates({}, world.bolt)));

    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(creates({}, world.bolt)).rejects.toMatchObject({
      key: 'request.invalid',
      message: expect.stringContaining('delete one first'),
    });
  });

  describe('the capabilities of an account client', () => {
    const changes = (id: string, body: Request<typeof accountClients.changeCapabilities>['body']) =>
      world.acme.asks(accountClients.changeCapabilities, { params: { id }, body });

    it('are replaced as a whole at once, while the baseline paths stay allowed @spec D1-5.8', async () => {
      const client = await creates({ capabilities: ['service_management'] });
      const token = await tokenOf(client);
      const mayReadServices = () => reaches(token, '/api/services');
      const mayReadPhotos = () => reaches(token, '/api/photos');
      expect([await mayReadServices(), await mayReadPhotos()]).toEqual([true, false]);

      const changed = await changes(client.client_id, { capabilities: ['company_profile_fields', 'company_profile_fields'] });

      expect(changed.capabilities).toEqual(['company_profile_fields']);
      expect([await mayReadServices(), await mayReadPhotos()]).toEqual([false, true]);
      expect(await reaches(token, '/api/account')).toBe(true);
    });

    it('may be empty', async () => {
      const client = await creates();
      await changes(client.client_id, { capabilities: [] });

      expect(await reaches(await tokenOf(client), '/api/account')).toBe(true);
      expect(await reaches(await tokenOf(client), '/api/services')).toBe(false);
    });

    it('are changed with the redirect URI, which stays when omitted and is cleared by null', async () => {
      const { client_id } = await creates({ redirect_uri: 'https://acme.example/1' });

      expect((await changes(client_id, { capabilities: [] })).redirect_uri).toBe('https://acme.example/1');
      expect((await changes(client_id, { capabilities: [], redirect_uri: 'https://acme.example/2' })).redirect_uri).toBe(
        'https://acme.example/2',
      );
      expect((await changes(client_id, { capabilities: [], redirect_uri: null })).redirect_uri).toBeNull();
      await expect(changes(client_id, { capabilities: [], redirect_uri: '/back' })).rejects.toMatchObject({
        key: 'account_clients.redirect_uri_invalid',
      });
      await expect(changes(client_id, {} as never)).rejects.toMatchObject({ key: 'request.invalid' });
    });
  });

  it('lose every token of the old secret at once when the secret is regenerated @spec D1-5.1', async () => {
    const client = await creates();
    const old = await tokenOf(client);
    await expect(readsAccount(old)).resolves.toBeDefined();

    const fresh = await world.acme.asks(accountClients.regenerateAccountSecret, { params: { id: client.client_id } });

    expect(fresh.client_secret).not.toBe(client.client_secret);
    await expect(readsAccount(old)).rejects.toMatchObject({ key: 'auth.token_invalid', status: 401 });
    await expect(tokenOf(client)).rejects.toMatchObject({ key: 'oauth.invalid_client' });
    await expect(tokenOf(fresh).then(readsAccount)).resolves.toBeDefined();
  });

  it('keep their tokens when the secret is rotated, and the old secret until it expires @gap D1-4.6', async () => {
    const client = await creates();
    const token = await tokenOf(client);
    const params = { id: client.client_id };

    const fresh = await world.acme.asks(accountClients.rotateAccountSecret, { params, body: { keep_old_hours: 2 } });
    await expect(readsAccount(token)).resolves.toBeDefined();
    for (const one of [client, fresh]) await expect(tokenOf(one).then(readsAccount)).resolves.toBeDefined();

    await world.passes({ hours: 2 });
    await world.acme.signsIn();
    await world.bolt.signsIn();
    await expect(tokenOf(client)).rejects.toMatchObject({ key: 'oauth.invalid_client' });
    await expect(tokenOf(fresh).then(readsAccount)).resolves.toBeDefined();
    await expect(world.acme.asks(accountClients.rotateAccountSecret, { params, body: { keep_old_hours: 0 } })).rejects.toMatchObject({
      key: 'request.invalid',
    });
  });

  it('lose the old secret and all tokens when the old secret is ended early @gap D1-4.6', async () => {
    const client = await creates();
    const params = { id: client.client_id };
    const fresh = await world.acme.asks(accountClients.rotateAccountSecret, { params, body: {} });
    const token = await tokenOf(client);

    await world.acme.asks(accountClients.endOldAccountSecret, { params });

    await expect(readsAccount(token)).rejects.toMatchObject({ key: 'auth.token_invalid' });
    await expect(tokenOf(client)).rejects.toMatchObject({ key: 'oauth.invalid_client' });
    const kept = await tokenOf(fresh);
    await world.acme.asks(accountClients.endOldAccountSecret, { params });
    await expect(readsAccount(kept)).resolves.toBeDefined();
  });

  it('are deleted with their tokens, and free their purpose', async () => {
    const client = await creates({ purpose: 'short-lived' });
    const token = await tokenOf(client);
    const params = { id: client.client_id };

    await world.acme.asks(accountClients.deleteAccountClient, { params });

    await expect(readsAccount(token)).rejects.toMatchObject({ key: 'auth.token_invalid' });
    await expect(tokenOf(client)).rejects.toMatchObject({ key: 'oauth.invalid_client' });
    await expect(world.acme.asks(accountClients.deleteAccountClient, { params })).rejects.toMatchObject({
      key: 'account_clients.not_found',
    });
    expect((await creates({ purpose: 'short-lived' })).purpose).toBe('short-lived');
  });

  it('are not found when they belong to another company, are data clients or are unknown', async () => {
    const [theirs] = await boltHas(['theirs']);
    const missing = { key: 'account_clients.not_found', status: 404 };

    for (const id of [theirs!, world.shop.client_id, 'app_portal', 'acct_nobody', 'not an id']) {
      await expect(
        world.acme.asks(accountClients.changeCapabilities, { params: { id }, body: { capabilities: [] } }),
      ).rejects.toMatchObject(missing);
      await expect(world.acme.asks(accountClients.regenerateAccountSecret, { params: { id } })).rejects.toMatchObject(missing);
      await expect(world.acme.asks(accountClients.rotateAccountSecret, { params: { id }, body: {} })).rejects.toMatchObject(missing);
      await expect(world.acme.asks(accountClients.endOldAccountSecret, { params: { id } })).rejects.toMatchObject(missing);
      await expect(world.acme.asks(accountClients.deleteAccountClient, { params: { id } })).rejects.toMatchObject(missing);
    }
  });

  describe('a client that the platform manages', () => {
    const register = (client = managed('shopify:acme')) => operator.request(OPERATOR.registerManaged, {}, client);

    it('is listed and can be deleted by its company, but not changed', async () => {
      const { client_id: id } = await register();
      const refused = { key: 'account_clients.purpose_managed', status: 409 };

      expect((await lists({ limit: 200 })).items).toContainEqual(expect.objectContaining({ client_id: id, purpose: 'shopify:acme' }));
      await expect(
        world.acme.asks(accountClients.changeCapabilities, { params: { id }, body: { capabilities: [] } }),
      ).rejects.toMatchObject(refused);
      await expect(world.acme.asks(accountClients.regenerateAccountSecret, { params: { id } })).rejects.toMatchObject(refused);
      await expect(world.acme.asks(accountClients.rotateAccountSecret, { params: { id }, body: {} })).rejects.toMatchObject(refused);
      await expect(world.acme.asks(accountClients.endOldAccountSecret, { params: { id } })).rejects.toMatchObject(refused);
      await expect(world.acme.asks(accountClients.deleteAccountClient, { params: { id } })).resolves.toBeUndefined();
    });

    it('is registered only with a name, a reserved purpose, a new id and an existing company', async () => {
      await expect(register(managed('crm:Capital'))).rejects.toMatchObject({ key: 'account_clients.purpose_invalid' });
      await expect(register({ ...managed('crm:a'), name: ' ' })).rejects.toMatchObject({ key: 'account_clients.name_invalid' });
      await expect(register(managed('ci'))).rejects.toMatchObject({
        key: 'request.invalid',
        message: expect.stringContaining('crm: or shopify:'),
      });
      await expect(register({ ...managed('crm:a'), client_id: world.automation.client_id })).rejects.toMatchObject({
        message: 'There is already a client acct_demo',
      });
      await expect(register({ ...managed('crm:a'), company_user_id: 'usr_nobody' })).rejects.toMatchObject({
        message: 'There is no company usr_nobody',
      });
    });
  });

  it('never have their secret on the bus', async () => {
    const heard = await BusRecorder.begin(...(await world.observers('platform')));

    const { client_id, client_secret } = await creates();
    const fresh = await world.acme.asks(accountClients.regenerateAccountSecret, { params: { id: client_id } });
    await eventually(async () => heard.text().includes(client_id) || undefined);

    expect(heard.text()).not.toContain(client_secret);
    expect(heard.text()).not.toContain(fresh.client_secret);
  });

  /** Whether the whitelist lets a token through to a path. The path need not belong to a route. */
  async function reaches({ access_token, api_url }: TokenResponse, path: string): Promise<boolean> {
    const answer = await fetch(`${api_url}${path}`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(answer.status).not.toBe(401);
    return answer.status !== 403;
  }

  const managed = (purpose: string) => ({
    client_id: `acct_managed_${purpose.replace(':', '_')}`,
    kind: 'account' as const,
    company_user_id: world.acme.user_id,
    service_id: null,
    name: 'Managed',
    purpose,
    capabilities: [],
    redirect_uri: null,
    secret_digest: 'digest',
  });

  /** Gives Bolt these clients and no others, so that a test can count them. Returns their ids. */
  async function boltHas(names: readonly string[]): Promise<string[]> {
    for (const { client_id } of (await lists({ limit: 200 }, world.bolt)).items)
      await world.bolt.asks(accountClients.deleteAccountClient, { params: { id: client_id } });
    const made: string[] = [];
    for (const name of names) {
      made.push((await creates({ name }, world.bolt)).client_id);
      await world.passes({ seconds: 1 });
    }
    return made;
  }
});
