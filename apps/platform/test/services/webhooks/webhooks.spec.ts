import { services, WEBHOOKS_PER_SERVICE, webhooks, type Output, type Refusal, type Request } from '@codase/contracts';
import { one, sql } from '@codase/runtime/db';
import { World, type Company } from '@codase/testing';

type Body = Request<typeof webhooks.createWebhook>['body'];

const URL_OF_OURS = 'https://hooks.acme.example/in?token=in-the-address';
const TOKEN = 'a-token-of-ours';
const BEARER = { url: URL_OF_OURS, auth_type: 'bearer', auth_token: TOKEN } as const satisfies Body;

const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });

describe('the webhooks of a service @spec D1-2.9', () => {
  let world: World;
  let acme: Company;
  let id: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    acme = world.acme;
    id = await newService(acme);
  });
  afterAll(() => world?.close());

  const newService = async (company: Company): Promise<string> => {
    const [shop] = (await acme.asks(services.listServices, { query: { limit: 1 } })).items;
    const keys = { public_key: company.public_key, encrypted_private_key: { ...shop!.encrypted_private_key, iter: 100_000 as const } };
    return (await company.asks(services.createService, { body: { name: 'Club', admin_email: 'club@acme.example', ...keys } })).id;
  };
  const creates = (body: Body, service = id) => acme.asks(webhooks.createWebhook, { params: { id: service }, body });
  const changes = (webhookId: string, body: Body) => acme.asks(webhooks.changeWebhook, { params: { id, webhookId }, body });
  const reads = (webhookId: string) => acme.asks(webhooks.readWebhook, { params: { id, webhookId } });
  const logged = async (limit = 200) => (await acme.asks(services.readServiceLogs, { params: { id }, query: { limit } })).items;

  describe('a new webhook', () => {
    it('has the defaults, and an HMAC secret that is shown once', async () => {
      const { hmac_secret_once, ...webhook } = await creates({ url: URL_OF_OURS });

      expect(webhook).toMatchObject({
        id: expect.stringMatching(/^wh_\w{24}$/),
        url: URL_OF_OURS,
        events: [],
        format: 'json',
        auth_type: 'hmac',
        encrypt_payload: false,
        standard_webhooks: false,
        enabled: true,
        auth_token: null,
      });
      expect(hmac_secret_once).toMatch(/^[\w-]{43}$/);
      expect(webhook.hmac_secret).toBe(`••••${hmac_secret_once!.slice(-4)}`);
      expect(await reads(webhook.id)).toEqual(webhook);
    });

    it('is running, with an empty backlog @spec D1-3.2', async () => {
      const { health, created_at } = await creates({ url: URL_OF_OURS });
      expect(health).toEqual({ state: 'running', since: created_at, next_probe_at: null, backlog: 0, oldest_at: null });
    });

    it('keeps an HMAC secret that was given, and never shows it', async () => {
      const webhook = await creates({ url: URL_OF_OURS, hmac_secret: 'chosen by ourselves' });

      expect(webhook.hmac_secret).toBe('••••lves');
      expect(webhook).not.toHaveProperty('hmac_secret_once');
    });

    it('accepts everything a webhook can have', async () => {
      const body = {
        url: 'http://10.0.0.1:8080/in',
        events: ['field_updated', '2fa_challenge_completed'],
        format: 'xml',
        auth_type: 'none',
        encrypt_payload: true,
        standard_webhooks: true,
        enabled: false,
      } as const;
      expect(await creates({ ...body, events: [...body.events] })).toMatchObject(body);
    });

    it.each<[string, Body]>([
      ['bearer', { auth_type: 'bearer' } as Body],
      ['basic', { auth_type: 'basic', auth_username: 'us' } as Body],
      ['header', { auth_type: 'header', auth_header_value: 'ours' } as Body],
      ['a mask in place of a secret', { auth_type: 'bearer', auth_token: '••••ours' } as Body],
    ])('requires the secrets of its authentication: %s @spec D1-6.4', async (_, body) => {
      await expect(creates({ ...body, url: URL_OF_OURS })).rejects.toEqual(refused('services.webhook_auth_invalid', 400));
    });

    it.each([['ftp://files.example'], ['https://'], ['hooks.acme.example'], ['javascript:alert(1)'], ['']])(
      'cannot have the address %j @spec D1-7',
      async (url) => {
        await expect(creates({ url })).rejects.toEqual(refused('services.webhook_url_invalid', 400));
      },
    );

    it.each<[string, object]>([
      ['an event there is not', { events: ['person_sneezed'] }],
      ['a format there is not', { format: 'yaml' }],
      ['a secret that would break a header', { auth_type: 'bearer', auth_token: 'a\r\nb' }],
      ['a member there is not', { health: 'bad' }],
    ])('cannot have %s', async (_, body) => {
      await expect(creates({ url: URL_OF_OURS, ...body })).rejects.toEqual(refused('request.invalid', 400));
    });
  });

  it('are limited in number, and listed on one page, oldest first', async () => {
    const service = await newService(acme);
    const made: string[] = [];
    for (let nth = 0; nth < WEBHOOKS_PER_SERVICE; nth++) {
      made.push((await creates({ url: `${URL_OF_OURS}&n=${nth}` }, service)).id);
      await world.passes({ seconds: 1 });
    }

    const { items, next_cursor } = await acme.asks(webhooks.listWebhooks, { params: { id: service } });
    expect(items.map((webhook) => webhook.id)).toEqual(made);
    expect(next_cursor).toBeNull();
    await expect(creates({ url: URL_OF_OURS }, service)).rejects.toThrow(`at most ${WEBHOOKS_PER_SERVICE} webhooks`);
  });

  describe('a change of a webhook', () => {
    it('replaces everything except secrets that are left out or masked @spec D1-2.9', async () => {
      const made = await creates({ ...BEARER, events: ['field_updated'], enabled: false });

      expect(made.auth_token).toBe('••••ours');
      expect(await changes(made.id, { url: `${URL_OF_OURS}/new`, auth_type: 'bearer' })).toEqual({
        ...made,
        url: `${URL_OF_OURS}/new`,
        events: [],
        enabled: true,
      });
      expect(await changes(made.id, { ...BEARER, auth_token: '••••ours' })).toMatchObject({ auth_token: '••••ours' });
      expect(await changes(made.id, { ...BEARER, auth_token: 'a-token-of-yours' })).toMatchObject({ auth_token: '••••ours' });
      expect(await changes(made.id, { ...BEARER, auth_token: 'short' })).toMatchObject({ auth_token: '••••' });
      expect(await reads(made.id)).toMatchObject({ url: URL_OF_OURS, auth_token: '••••' });
    });

    it('requires the credentials again when it names another host @gap D1-2.9', async () => {
      const made = await creates({ ...BEARER, hmac_secret: 'a-secret-that-signs' });
      const elsewhere = { ...BEARER, url: 'https://evil.example', auth_token: undefined };
      const required = refused('services.webhook_credentials_required', 400);

      await expect(changes(made.id, elsewhere)).rejects.toEqual(required);
      await expect(changes(made.id, { ...elsewhere, auth_token: '••••ours' })).rejects.toEqual(required);
      await expect(changes(made.id, { ...elsewhere, url: `${URL_OF_OURS.replace('https:', 'http:')}` })).rejects.toEqual(required);
      expect(await reads(made.id)).toEqual(made);

      const moved = await changes(made.id, { url: 'https://new.acme.example', auth_type: 'hmac' });
      expect(moved).toMatchObject({ hmac_secret: '••••igns', auth_token: null });
      await expect(changes(made.id, { url: 'https://new.acme.example', auth_type: 'bearer' })).rejects.toEqual(
        refused('services.webhook_auth_invalid', 400),
      );
    });

    it('requires the secrets of a new way to authenticate, and keeps those of the old one', async () => {
      const made = await creates({ url: URL_OF_OURS });

      await expect(changes(made.id, { url: URL_OF_OURS, auth_type: 'header' })).rejects.toEqual(
        refused('services.webhook_auth_invalid', 400),
      );
      expect(
        await changes(made.id, { url: URL_OF_OURS, auth_type: 'header', auth_header_name: 'X-Our-Key', auth_header_value: 'key-of-ours' }),
      ).toMatchObject({ auth_type: 'header', auth_header_name: '••••-Key' });

      const back = await changes(made.id, { url: URL_OF_OURS, auth_type: 'hmac' });
      expect(back).toMatchObject({ auth_type: 'hmac', hmac_secret: made.hmac_secret });
      expect(back).not.toHaveProperty('hmac_secret_once');
    });

    it('creates an HMAC secret when there is none, and shows it once', async () => {
      const made = await creates(BEARER);
      const { hmac_secret_once, hmac_secret } = await changes(made.id, { url: URL_OF_OURS });

      expect(hmac_secret).toBe(`••••${hmac_secret_once!.slice(-4)}`);
      expect(await changes(made.id, { url: URL_OF_OURS })).not.toHaveProperty('hmac_secret_once');
    });

    it.each<[string, Body, Refusal['key']]>([
      ['a mask of another secret', { ...BEARER, auth_token: '••••past' }, 'services.webhook_auth_invalid'],
      ['no address', { ...BEARER, url: 'nowhere' }, 'services.webhook_url_invalid'],
      ['a member there is not', { ...BEARER, id: 'wh_mine' } as Body, 'request.invalid'],
    ])('is refused with %s, and nothing changes', async (_, body, key) => {
      const made = await creates(BEARER);

      await expect(changes(made.id, { ...body, events: ['key_rotated'] })).rejects.toEqual(refused(key, 400));
      expect(await reads(made.id)).toEqual(made);
    });
  });

  it('are not found once they are deleted, and the log keeps their entries @spec D1-6.3', async () => {
    const { id: webhookId } = await creates(BEARER);
    await world.passes({ seconds: 1 });
    await changes(webhookId, BEARER);
    await world.passes({ seconds: 1 });
    await acme.asks(webhooks.deleteWebhook, { params: { id, webhookId } });

    expect((await logged()).filter((entry) => entry.webhook_id === webhookId).map(({ kind }) => kind)).toEqual([
      'webhook_deleted',
      'webhook_changed',
      'webhook_created',
    ]);
    await expect(reads(webhookId)).rejects.toEqual(refused('services.webhook_not_found', 404));
    await expect(changes(webhookId, BEARER)).rejects.toEqual(refused('services.webhook_not_found', 404));
    await expect(acme.asks(webhooks.deleteWebhook, { params: { id, webhookId } })).rejects.toEqual(
      refused('services.webhook_not_found', 404),
    );
  });

  describe('the secrets of a webhook', () => {
    it('are in no log entry, nor is the query of the address', async () => {
      const { hmac_secret_once } = await creates({ url: URL_OF_OURS });
      await creates(BEARER);
      const reported = JSON.stringify(await logged());

      expect(reported).toContain('hooks.acme.example');
      for (const secret of [TOKEN, hmac_secret_once!, 'in-the-address']) expect(reported).not.toContain(secret);
    });

    it('are unreadable in the database', async () => {
      const { id: webhookId } = await creates(BEARER);
      const db = await world.opensDatabase('region_eu');
      const row = await one<{ sealed_secrets: string }>(db, sql`select * from webhook where webhook_id = ${webhookId}`).finally(() =>
        db.destroy(),
      );

      expect(row!.sealed_secrets).toMatch(/^[\w-]{8}:[\w-]{40,}$/);
      expect(JSON.stringify(row)).not.toContain(TOKEN);
    });
  });

  describe('a webhook of another company', () => {
    type Reach = (
      company: Company,
      params: { id: string; webhookId: string },
    ) => Promise<Output<typeof webhooks.readWebhook> | null | void>;
    const OF_WEBHOOK: [string, Reach][] = [
      ['read', (company, params) => company.asks(webhooks.readWebhook, { params })],
      ['changed', (company, params) => company.asks(webhooks.changeWebhook, { params, body: BEARER })],
      ['deleted', (company, params) => company.asks(webhooks.deleteWebhook, { params })],
    ];

    it.each(OF_WEBHOOK)('is not found when it is to be %s, neither in its own service nor in another', async (_, reach) => {
      const neighbour = await world.signsUp({ type: 'company', region: 'eu' });
      const theirs = await newService(neighbour);
      const made = await creates(BEARER);

      await expect(reach(neighbour, { id, webhookId: made.id })).rejects.toEqual(refused('services.not_found', 404));
      await expect(reach(neighbour, { id: theirs, webhookId: made.id })).rejects.toEqual(refused('services.webhook_not_found', 404));
      await expect(reach(acme, { id: world.shop.service_id!, webhookId: made.id })).rejects.toEqual(
        refused('services.webhook_not_found', 404),
      );
      expect(await reads(made.id)).toEqual(made);
    });

    it('cannot be listed, and no other can be added to its service', async () => {
      const neighbour = await world.signsUp({ type: 'company', region: 'eu' });

      await expect(neighbour.asks(webhooks.listWebhooks, { params: { id } })).rejects.toEqual(refused('services.not_found', 404));
      await expect(neighbour.asks(webhooks.createWebhook, { params: { id }, body: BEARER })).rejects.toEqual(
        refused('services.not_found', 404),
      );
    });
  });
});
