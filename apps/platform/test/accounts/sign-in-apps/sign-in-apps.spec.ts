import {
  accountSecurity,
  FRONT_DOOR,
  plugins,
  signInApps,
  SIGN_IN_APPS_PER_COMPANY,
  tokens,
  type PluginDescription,
  type Refusal,
} from '@codase/contracts';
import { execute, many, one, sql } from '@codase/runtime/db';
import { BusRecorder, eventually, World, type Company, type NewSignInApp, type SignInAppOnce } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { frontDoorDatabase } from '../../access/clients/account-clients-database.ts';

const BACK = 'https://acme.example/back';
const EMAIL = { slug: 'email', label: 'E-mail', type: 'email', required: true, plugin: null };
const NOBODY = { flows: [], request_fields: [], claims: [] };
const DESCRIPTION: PluginDescription = {
  name: 'Address search',
  public_key: 'a2V5',
  field_types: [
    { field_type: 'address', label: 'Address', blocks: [{ key: 'place', kind: 'search_select', label: 'Place' }], inputs: [], outputs: [] },
    {
      field_type: 'needy',
      label: 'Needy',
      blocks: [],
      inputs: [{ key: 'country', type: 'text', label: 'Country', required: true }],
      outputs: [],
    },
  ],
};

const refused = (key: Refusal['key'], status: number, message?: unknown) =>
  expect.objectContaining({ key, status, ...(message !== undefined && { message }) });
const PLUGIN_INVALID = 'oauth_apps.claim_config_plugin_invalid';
const pluginClaim = (plugin_id: string, field_type = 'address') => ({
  slug: 'address',
  label: 'Address',
  type: 'plugin',
  required: true,
  plugin: { plugin_id, field_type },
});
const asksToDelete = (company: Company) => company.asks(accountSecurity.requestDeletion, { body: { password: company.password } });
const notFound = refused('oauth_apps.not_found', 404);

describe('the sign-in apps of a company @spec D1-4.6', () => {
  let world: World;
  let acme: Company;
  let region: DataSource;
  let frontDoor: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    acme = world.acme;
    region = await world.opensDatabase('region_eu', { pool: 2 });
    frontDoor = await frontDoorDatabase(world);
  });
  afterEach(async () => {
    await execute(frontDoor, sql`delete from client where kind = 'app'`);
    await execute(region, sql`delete from claim_plugin`);
    await execute(region, sql`delete from plugin`);
  });
  afterAll(() => world?.close());

  const tokenOf = ({ client_id, client_secret }: { client_id: string; client_secret: string }) =>
    world.stranger.asks(tokens.issueToken, { body: { grant_type: 'client_credentials', client_id, client_secret } });
  /** An app has a secret that is right when the refusal is no longer about the secret. */
  const proves = (app: { client_id: string; client_secret: string }) =>
    expect(tokenOf(app)).rejects.toEqual(refused('oauth.unauthorized_client', 400));
  const provesNothing = (app: { client_id: string; client_secret: string }) =>
    expect(tokenOf(app)).rejects.toEqual(refused('oauth.invalid_client', 401));

  it('are created with a secret that is shown once @spec D1-5.9', async () => {
    const request = { name: 'Acme login', redirect_uris: [BACK, 'com.acme.app:/back'], claims: [EMAIL] };

    const { client_secret, ...app } = await acme.signInApps.creates(request);

    expect(app).toEqual({
      ...request,
      id: expect.stringMatching(/^app_\w{24}$/),
      client_id: app.id,
      claims_delivery: 'encrypted',
      created_at: expect.any(String),
    });
    expect(client_secret).toMatch(/^[\w-]{43}$/);
    expect(await acme.signInApps.reads(app.id)).toEqual(app);
    expect(await acme.signInApps.lists()).toEqual({ items: [app], next_cursor: null });
    const { secret_hash } = (await one<{ secret_hash: string }>(
      frontDoor,
      sql`select secret_hash from client where client_id = ${app.id}`,
    ))!;
    expect(secret_hash).not.toContain(client_secret);
    await proves({ ...app, client_secret });
    await provesNothing({ ...app, client_secret: 'guessed' });
  });

  it('can get claims as plaintext', async () => {
    expect(await acme.signInApps.creates({ claims_delivery: 'plaintext' })).toMatchObject({ claims_delivery: 'plaintext' });
  });

  it('are managed by an account client with their capability group, and by no other client @spec D1-5.8', async () => {
    const { id } = await world.automation.asks(signInApps.createOauthApp, { body: { name: 'Login', redirect_uris: [BACK] } });
    expect((await world.automation.asks(signInApps.listOauthApps, { query: {} })).items.map((app) => app.id)).toEqual([id]);

    const forbidden = refused('auth.client_endpoint_forbidden', 403);
    await expect(world.shop.asks(signInApps.readOauthApp, { params: { id } })).rejects.toEqual(forbidden);
    await expect(world.person('ANA').asks(signInApps.readOauthApp, { params: { id } })).rejects.toEqual(forbidden);
    await expect(world.stranger.asks(signInApps.listOauthApps, { query: {} }, { at: world.regionUrl('eu') })).rejects.toEqual(
      refused('auth.token_invalid', 401),
    );
  });

  it('get no token without a person who signs in', async () => {
    const app = await acme.signInApps.creates();
    await expect(tokenOf(app)).rejects.toEqual(
      refused('oauth.unauthorized_client', 400, 'A sign-in app gets tokens for the people who sign in alone'),
    );
  });

  it('are listed in pages, oldest first', async () => {
    const made: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      made.push((await acme.signInApps.creates({ name })).id);
      await world.passes({ seconds: 1 });
    }

    const first = await acme.signInApps.lists({ limit: 2 });
    const rest = await acme.signInApps.lists({ limit: 2, cursor: first.next_cursor! });

    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(made);
    expect(rest.next_cursor).toBeNull();
    await expect(acme.signInApps.lists({ cursor: 'made-up' })).rejects.toEqual(refused('request.invalid', 400));
  });

  const uris = (n: number) => Array.from({ length: n }, (_, i) => `https://acme.example/back/${i}`);
  const many100 = Array.from({ length: 101 }, (_, i) => ({ ...EMAIL, slug: `claim_${i}` }));
  it.each<[string, Partial<NewSignInApp>, Refusal['key']]>([
    ['without a redirect URI', { redirect_uris: [] }, 'oauth_apps.redirect_uri_invalid'],
    ['with too many', { redirect_uris: uris(21) }, 'oauth_apps.redirect_uri_invalid'],
    ['with the same one twice', { redirect_uris: [BACK, BACK] }, 'oauth_apps.redirect_uri_invalid'],
    ['with a relative one', { redirect_uris: ['/back'] }, 'oauth_apps.redirect_uri_invalid'],
    ['with a fragment', { redirect_uris: [`${BACK}#top`] }, 'oauth_apps.redirect_uri_invalid'],
    ['with one that runs in the browser', { redirect_uris: ['javascript:alert(1)'] }, 'oauth_apps.redirect_uri_invalid'],
    ['with one that shows data', { redirect_uris: ['data:text/html,hello'] }, 'oauth_apps.redirect_uri_invalid'],
    ['with a line break', { redirect_uris: [`${BACK}\r\nset-cookie: a=b`] }, 'oauth_apps.redirect_uri_invalid'],
    ['with letters that no header can have', { redirect_uris: [`${BACK}/\u{20ac}`] }, 'oauth_apps.redirect_uri_invalid'],
    ['with one in the clear', { redirect_uris: ['http://acme.example/back'] }, 'oauth_apps.redirect_uri_invalid'],
    ['with one that names a user', { redirect_uris: ['https://acme.example@evil.example/'] }, 'oauth_apps.redirect_uri_invalid'],
    ['with one that is no text', { redirect_uris: [1 as never] }, 'oauth_apps.redirect_uri_invalid'],
    ['with one that is too long', { redirect_uris: [`${BACK}/${'x'.repeat(2048)}`] }, 'oauth_apps.redirect_uri_invalid'],
    ['without a name', { name: ' ' }, 'request.invalid'],
    ['with two claims of one slug', { claims: [EMAIL, { ...EMAIL, label: 'Other' }] }, 'request.invalid'],
    ['with too many claims', { claims: many100 }, 'request.invalid'],
    ['with a claim of a type nobody knows', { claims: [{ ...EMAIL, type: 'unknown' }] }, 'request.invalid'],
    ['with a claim that is a file', { claims: [{ ...EMAIL, type: 'pdf_document' }] }, 'request.invalid'],
    ['with a delivery nobody knows', { claims_delivery: 'by_mail' as never }, 'request.invalid'],
    ['with a secret of their own', { client_secret: 'x' } as never, 'request.invalid'],
    ['with a plugin on another type', { claims: [{ ...EMAIL, plugin: { plugin_id: 'plug_1', field_type: 'address' } }] }, PLUGIN_INVALID],
    ['with the type plugin and none', { claims: [{ ...EMAIL, type: 'plugin' }] }, PLUGIN_INVALID],
    ['with a plugin nobody has', { claims: [pluginClaim('plug_1')] }, PLUGIN_INVALID],
  ])('are refused %s, and nothing is created', async (_, app, key) => {
    await expect(acme.signInApps.creates(app)).rejects.toEqual(refused(key, 400));
    expect((await acme.signInApps.lists()).items).toEqual([]);
  });

  it('can have as many redirect URIs and claims as the limits allow', async () => {
    const app = await acme.signInApps.creates({ redirect_uris: uris(20), claims: many100.slice(1) });

    expect(app.redirect_uris).toHaveLength(20);
    expect(app.claims).toHaveLength(100);
  });

  it('are limited in number, also for concurrent requests @gap D1-4.6', async () => {
    for (let n = 2; n < SIGN_IN_APPS_PER_COMPANY; n++) await acme.signInApps.creates();

    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => acme.signInApps.creates()));

    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(acme.signInApps.creates()).rejects.toEqual(refused('request.invalid', 400, expect.stringContaining('delete one first')));
  });

  it('are listed in shorter pages when they are very long', async () => {
    const wide = '\u{ffe6}';
    const claims = Array.from({ length: 100 }, (_, i) => ({ ...EMAIL, slug: `c${'x'.repeat(59)}${i}`, label: wide.repeat(200) }));
    const redirect_uris = Array.from({ length: 20 }, (_, i) => `https://a.example/${i}/`.padEnd(2048, 'x'));
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await acme.signInApps.creates({ name, claims, redirect_uris });
      await world.passes({ seconds: 1 });
    }

    const first = await acme.signInApps.lists({ limit: 200 });
    const rest = await acme.signInApps.lists({ limit: 200, cursor: first.next_cursor! });

    expect([...first.items, ...rest.items].map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(JSON.stringify(first).length).toBeLessThan(512 * 1024);
    expect(rest.next_cursor).toBeNull();
  });

  describe('a change of a sign-in app', () => {
    it('replaces all redirect URIs, and keeps what the request leaves out', async () => {
      const { client_secret: _, ...app } = await acme.signInApps.creates({ redirect_uris: [BACK], claims: [EMAIL] });

      const changed = await acme.signInApps.changes(app.id, { redirect_uris: [`${BACK}/2`, `${BACK}/3`] });

      expect(changed).toEqual({ ...app, redirect_uris: [`${BACK}/2`, `${BACK}/3`] });
      expect(await acme.signInApps.reads(app.id)).toEqual(changed);
    });

    it('replaces the name, the delivery and the claims that the request contains', async () => {
      const { id } = await acme.signInApps.creates({ claims: [EMAIL] });
      const change = { name: 'Other', redirect_uris: [BACK], claims_delivery: 'plaintext' as const, claims: [{ ...EMAIL, slug: 'mail' }] };

      expect(await acme.signInApps.changes(id, change)).toMatchObject(change);
      expect(await acme.signInApps.changes(id, { redirect_uris: [BACK], claims: [] })).toMatchObject({ name: 'Other', claims: [] });
    });

    it.each<[string, object, Refusal['key']]>([
      ['without redirect URIs', { name: 'x' }, 'oauth_apps.redirect_uri_invalid'],
      ['with none', { redirect_uris: [] }, 'oauth_apps.redirect_uri_invalid'],
      ['with the same one twice', { redirect_uris: [BACK, BACK] }, 'oauth_apps.redirect_uri_invalid'],
      ['of a claim to a type nobody knows', { redirect_uris: [BACK], claims: [{ ...EMAIL, type: 'unknown' }] }, 'request.invalid'],
      ['to a plugin nobody has', { redirect_uris: [BACK], claims: [pluginClaim('plug_1')] }, PLUGIN_INVALID],
    ])('a change %s is refused, and changes nothing', async (_, change, key) => {
      const { client_secret: __, ...app } = await acme.signInApps.creates({ redirect_uris: [`${BACK}/old`], claims: [EMAIL] });

      await expect(acme.signInApps.changes(app.id, change as never)).rejects.toEqual(refused(key, 400));
      expect(await acme.signInApps.reads(app.id)).toEqual(app);
    });

    it('is applied as a whole when several are made at once', async () => {
      const { id } = await acme.signInApps.creates();
      const wanted = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({
        name,
        redirect_uris: [`${BACK}/${name}`],
        claims: [{ ...EMAIL, slug: name }],
      }));

      await Promise.all(wanted.map((change) => acme.signInApps.changes(id, change)));

      const { name, redirect_uris, claims } = await acme.signInApps.reads(id);
      expect(wanted).toContainEqual({ name, redirect_uris, claims });
    });

    it('has long redirect URIs in the audit shortened to their host and the beginning of their path', async () => {
      const { id } = await acme.signInApps.creates();
      const host = `https://login.acme.example.${'a'.repeat(60)}.evil.example`;
      await acme.signInApps.changes(id, { redirect_uris: [`${BACK}/`.padEnd(2048, 'x'), `${host}/back`] });

      const rows = await many<{ details: { redirect_uris_added: string[] } }>(
        frontDoor,
        sql`select details from audit.entry where object = ${id} and act = 'client.changed'`,
      );
      const hash = String.raw`… \(SHA-256 [0-9a-f]{16}\)$`;
      expect(rows[0]!.details.redirect_uris_added).toEqual([
        expect.stringMatching(`^${`${BACK}/`.padEnd(80, 'x')}${hash}`),
        expect.stringMatching(`^${host}${hash}`),
      ]);
    });

    it('is in the audit with the new name and the number of claims', async () => {
      const { id } = await acme.signInApps.creates();
      await acme.signInApps.changes(id, { redirect_uris: [BACK], name: 'Your bank', claims: [EMAIL] });

      const row = await one<{ details: object }>(
        frontDoor,
        sql`select details from audit.entry where object = ${id} and act = 'client.changed'`,
      );
      expect(row!.details).toMatchObject({ name: 'Your bank', claims: 1, revision: expect.stringMatching(/^rev_/) });
    });

    it('is in the audit with the redirect URIs that were added and removed', async () => {
      const { id } = await acme.signInApps.creates({ redirect_uris: [BACK, `${BACK}/1`] });
      await acme.signInApps.changes(id, { redirect_uris: [`${BACK}/1`, `${BACK}/2`] });

      const rows = await many(frontDoor, sql`select act, account_id, details from audit.entry where object = ${id} order by seq`);

      const account_id = acme.user_id;
      const rest = { claims: 0, claims_delivery: 'encrypted' };
      expect(rows).toEqual([
        {
          act: 'client.created',
          account_id,
          details: { ...rest, kind: 'app', redirect_uris_added: [BACK, `${BACK}/1`], revision: expect.stringMatching(/^rev_/) },
        },
        {
          act: 'client.changed',
          account_id,
          details: { ...rest, redirect_uris_added: [`${BACK}/2`], redirect_uris_removed: [BACK] },
        },
      ]);
    });
  });

  describe('the secret of a sign-in app', () => {
    it('is replaced at once, and the old one becomes invalid @spec D1-5.1', async () => {
      const app = await acme.signInApps.creates();

      const fresh = await acme.signInApps.regeneratesSecret(app.id);

      expect(fresh.client_secret).not.toBe(app.client_secret);
      await provesNothing(app);
      await proves(fresh);
    });

    it('can be rotated, and the old one ends after its hours or by a call @gap D1-4.6', async () => {
      const app = await acme.signInApps.creates();
      const fresh = await acme.signInApps.rotatesSecret(app.id, 2);
      for (const one of [app, fresh]) await proves(one);

      await world.passes({ hours: 2 });
      await acme.signsIn();
      await world.bolt.signsIn();
      await provesNothing(app);

      const newest = await acme.signInApps.rotatesSecret(app.id);
      await acme.signInApps.endsOldSecret(app.id);
      await acme.signInApps.endsOldSecret(app.id);
      await provesNothing(fresh);
      await proves(newest);
      await expect(acme.signInApps.rotatesSecret(app.id, 0)).rejects.toEqual(refused('request.invalid', 400));
    });

    it('never travels on the bus', async () => {
      const heard = await BusRecorder.begin(...(await world.observers('platform')));

      const { id, client_secret } = await acme.signInApps.creates();
      const fresh = await acme.signInApps.regeneratesSecret(id);
      await eventually(async () => heard.text().includes(id) || undefined);

      expect(heard.text()).not.toContain(client_secret);
      expect(heard.text()).not.toContain(fresh.client_secret);
    });
  });

  it('are not found after they are deleted', async () => {
    const app = await acme.signInApps.creates();

    await acme.signInApps.deletes(app.id);

    await provesNothing(app);
    await expect(acme.signInApps.deletes(app.id)).rejects.toEqual(notFound);
    expect((await acme.signInApps.lists()).items).toEqual([]);
    expect(await one(frontDoor, sql`select from sign_in_app where client_id = ${app.id}`)).toBeUndefined();
  });

  it('are not found when they belong to another company, are other clients, or do not exist', async () => {
    const theirs = await world.bolt.signInApps.creates();
    const own = world.automation.client_id;

    for (const id of [theirs.id, own, world.shop.client_id, 'app_portal', 'app_person', 'app_nobody', 'not an id']) {
      await expect(acme.signInApps.reads(id)).rejects.toEqual(notFound);
      await expect(acme.signInApps.changes(id, { redirect_uris: [BACK] })).rejects.toEqual(notFound);
      await expect(acme.signInApps.changes(id, { redirect_uris: [BACK], claims: [EMAIL] })).rejects.toEqual(notFound);
      await expect(acme.signInApps.regeneratesSecret(id)).rejects.toEqual(notFound);
      await expect(acme.signInApps.rotatesSecret(id)).rejects.toEqual(notFound);
      await expect(acme.signInApps.endsOldSecret(id)).rejects.toEqual(notFound);
      await expect(acme.signInApps.deletes(id)).rejects.toEqual(notFound);
    }
    expect(await world.bolt.signInApps.reads(theirs.id)).toMatchObject({ redirect_uris: theirs.redirect_uris });
    await proves(theirs);
    await expect(world.automation.getsToken()).resolves.toBeDefined();
  });

  it('are not found as account clients, nor account clients as apps, by requests to the front door', async () => {
    const { id } = await acme.signInApps.creates();
    const operator = await world.operator('platform');
    const request = { company_user_id: acme.user_id };
    const unknown = refused('account_clients.not_found', 404);

    await expect(operator.request(FRONT_DOOR.readClient, { region: 'eu' }, { ...request, client_id: id })).rejects.toEqual(unknown);
    await expect(
      operator.request(FRONT_DOOR.changeClient, { region: 'eu' }, { ...request, client_id: id, capabilities: ['oauth_apps'] }),
    ).rejects.toEqual(unknown);
    await expect(
      operator.request(FRONT_DOOR.readApp, { region: 'eu' }, { ...request, app_id: world.automation.client_id }),
    ).rejects.toEqual(notFound);
  });

  it('are registered once by a repeated request, and a different app under the same id is refused', async () => {
    const operator = await world.operator('platform');
    const app = {
      company_user_id: acme.user_id,
      app_id: 'app_twice',
      name: 'Twice',
      redirect_uris: [BACK],
      claims: [],
      claims_delivery: 'encrypted' as const,
      revision: 'rev_1',
      secret_digest: 'digest',
    };
    const registers = (over = {}) => operator.request(FRONT_DOOR.registerApp, { region: 'eu' }, { ...app, ...over });

    expect(await registers()).toEqual(await registers());
    await expect(registers({ secret_digest: 'other' })).rejects.toEqual(refused('request.invalid', 400));
    expect((await acme.signInApps.lists()).items).toHaveLength(1);
  });

  describe('sign-in apps with claims that plugins answer @spec D1-2.5 @spec D1-2.11', () => {
    const described = async (base_url = 'https://plugins.acme.example') => {
      const plugin = await acme.asks(plugins.addPlugin, { body: { base_url } });
      const description = JSON.stringify(DESCRIPTION);
      await execute(
        region,
        sql`update plugin set description = ${description}::jsonb, last_refresh = ${world.now} where plugin_id = ${plugin.id}`,
      );
      return plugin.id;
    };
    const removes = (id: string) => acme.asks(plugins.deletePlugin, { params: { id } });
    const usersOf = async (id: string) => (await acme.asks(plugins.listPlugins, {})).items.find((plugin) => plugin.id === id)!.in_use;
    const unfinished = () => many(region, sql`select app_id from claim_plugin where check_at <= ${world.now}`);

    it('keep their plugins from being deleted until no claim uses them', async () => {
      const [one, other] = [await described(), await described('https://other.acme.example')];
      const app = await acme.signInApps.creates({ name: 'Login', claims: [pluginClaim(one)] });
      const in_use = { ...NOBODY, claims: ['Login: Address'] };

      expect(await usersOf(one)).toEqual(in_use);
      await expect(removes(one)).rejects.toMatchObject({ key: 'plugins.in_use', status: 409, extras: { in_use } });
      await acme.signInApps.changes(app.id, { redirect_uris: [BACK], name: 'Renamed' });
      expect(await usersOf(one)).toEqual({ ...NOBODY, claims: ['Renamed: Address'] });

      await acme.signInApps.changes(app.id, { redirect_uris: [BACK], claims: [pluginClaim(other)] });
      expect([await usersOf(one), await usersOf(other)]).toEqual([NOBODY, { ...NOBODY, claims: ['Renamed: Address'] }]);
      await removes(one);
      await acme.signInApps.deletes(app.id);
      await removes(other);
      expect(await unfinished()).toEqual([]);
    });

    it('are refused with the reason when the plugin cannot answer the claim @spec D1-7', async () => {
      const undescribed = await acme.asks(plugins.addPlugin, { body: { base_url: 'https://other.acme.example' } });
      const id = await described();
      const creates = (plugin_id: string, field_type?: string) => acme.signInApps.creates({ claims: [pluginClaim(plugin_id, field_type)] });
      const because = (text: string) => refused(PLUGIN_INVALID, 400, expect.stringContaining(text));

      await expect(creates('plug_1')).rejects.toEqual(because('address: you have no plugin plug_1'));
      await expect(creates(undescribed.id)).rejects.toEqual(because('has no description yet'));
      await expect(creates(id, 'needy')).rejects.toEqual(because('needs the input country'));
      await expect(creates(id, 'unknown')).rejects.toEqual(because('has no field type unknown'));
      expect(await usersOf(id)).toEqual(NOBODY);
    });

    it('cannot use a plugin of another company', async () => {
      const id = await described();
      await expect(world.bolt.signInApps.creates({ claims: [pluginClaim(id)] })).rejects.toEqual(refused(PLUGIN_INVALID, 400));
    });

    it('do not use a plugin when the front door refuses the app', async () => {
      const id = await described();
      for (let n = 0; n < SIGN_IN_APPS_PER_COMPANY; n++) await acme.signInApps.creates();

      await expect(acme.signInApps.creates({ claims: [pluginClaim(id)] })).rejects.toEqual(refused('request.invalid', 400));

      await removes(id);
    });

    it('either get a plugin or let it be deleted, when both are requested at once', async () => {
      for (let n = 0; n < 8; n++) {
        const id = await described();
        const [created, removed] = await Promise.allSettled([acme.signInApps.creates({ claims: [pluginClaim(id)] }), removes(id)]);

        expect([created.status, removed.status].toSorted()).toEqual(['fulfilled', 'rejected']);
        if (created.status === 'fulfilled') await acme.signInApps.deletes(created.value.id);
        await execute(region, sql`delete from plugin`);
      }
    });

    it('use the plugin of the last of several concurrent changes', async () => {
      const ids = [await described(), await described('https://b.example'), await described('https://c.example')];
      const { id } = await acme.signInApps.creates();

      await Promise.all(
        [...ids, ...ids].map((plugin) => acme.signInApps.changes(id, { redirect_uris: [BACK], claims: [pluginClaim(plugin)] })),
      );

      const used = (await acme.signInApps.reads(id)).claims[0]!.plugin!.plugin_id;
      const noted = await many<{ plugin_id: string }>(region, sql`select distinct plugin_id from claim_plugin where app_id = ${id}`);
      expect(noted).toEqual([{ plugin_id: used }]);
    });

    const settled = () => eventually(async () => (await unfinished()).length === 0 || undefined);

    it('free a plugin that an interrupted creation had marked as used', async () => {
      const id = await described();
      await noted(id, 'app_never_made', 'rev_1');
      await expect(removes(id)).rejects.toEqual(refused('plugins.in_use', 409));

      await world.passes({ minutes: 4 });
      await settled();

      await removes(id);
    });

    const aDayPasses = async () => {
      await world.passes({ hours: 24 });
      await acme.signsIn();
      await world.bolt.signsIn();
    };
    const hasClaims = async (id: string) => ((await usersOf(id)).claims.length > 0 ? true : undefined);

    it("mark their plugin as used again within a day after a restore of the region's database", async () => {
      const id = await described();
      await acme.signInApps.creates({ name: 'Login', claims: [pluginClaim(id)] });
      await execute(region, sql`delete from claim_plugin`);
      expect(await usersOf(id)).toEqual(NOBODY);

      await aDayPasses();
      await eventually(() => hasClaims(id));

      expect(await usersOf(id)).toEqual({ ...NOBODY, claims: ['Login: Address'] });
      await expect(removes(id)).rejects.toEqual(refused('plugins.in_use', 409));
    });

    it("mark exactly the plugins of their restored claims as used after a restore of the front door's database", async () => {
      const [one, other] = [await described(), await described('https://other.acme.example')];
      const app = await acme.signInApps.creates({ name: 'Login', claims: [pluginClaim(one)] });
      const before = sql`select revision, claims from sign_in_app where client_id = ${app.id}`;
      const [{ revision, claims }] = (await many(frontDoor, before)) as [{ revision: string; claims: unknown }];
      await acme.signInApps.changes(app.id, { redirect_uris: [BACK], claims: [pluginClaim(other)] });
      const restored = sql`
        update sign_in_app set revision = ${revision}, claims = ${JSON.stringify(claims)}::jsonb where client_id = ${app.id}`;
      await execute(frontDoor, restored);

      await aDayPasses();
      await eventually(() => hasClaims(one));

      expect([await usersOf(one), await usersOf(other)]).toEqual([{ ...NOBODY, claims: ['Login: Address'] }, NOBODY]);
    });

    it('free the plugin of an app that a restored front door database does not have, within a day', async () => {
      const id = await described();
      const app = await acme.signInApps.creates({ claims: [pluginClaim(id)] });
      await execute(frontDoor, sql`delete from client where client_id = ${app.id}`);

      await aDayPasses();
      await eventually(async () => ((await hasClaims(id)) ? undefined : true));

      await expect(removes(id)).resolves.toBeUndefined();
    });

    it('keep the plugin of a change whose response was lost, and free the earlier one', async () => {
      const [one, other] = [await described(), await described('https://other.acme.example')];
      const app = await acme.signInApps.creates({ claims: [pluginClaim(one)] });
      await noted(other, app.id, 'rev_lost');
      const operator = await world.operator('platform');
      const change = { redirect_uris: [BACK], claims: [pluginClaim(other)], revision: 'rev_lost' };
      await operator.request(FRONT_DOOR.changeApp, { region: 'eu' }, { company_user_id: acme.user_id, app_id: app.id, ...change });

      await world.passes({ minutes: 4 });
      await settled();

      expect([await usersOf(one), await usersOf(other)]).toEqual([NOBODY, { ...NOBODY, claims: ['Login: Address'] }]);
    });

    it('keep the earlier plugin when a change never reached the front door', async () => {
      const [one, other] = [await described(), await described('https://other.acme.example')];
      const app = await acme.signInApps.creates({ claims: [pluginClaim(one)] });
      await noted(other, app.id, 'rev_never_asked');

      await world.passes({ minutes: 4 });
      await settled();

      expect([await usersOf(one), await usersOf(other)]).toEqual([{ ...NOBODY, claims: ['Login: Address'] }, NOBODY]);
    });

    /** Notes a revision as a change does that is interrupted afterwards. */
    const noted = (plugin_id: string, app_id: string, revision: string) =>
      execute(
        region,
        sql`
        insert into claim_plugin (claim_plugin_id, company_user_id, app_id, revision, plugin_id, app_name, label, noted_at, check_at)
        values (${revision}, ${acme.user_id}, ${app_id}, ${revision}, ${plugin_id}, 'Login', 'Address', ${world.now}, ${world.now})`,
      );
  });

  it('must be deleted before the account of their company is', async () => {
    const company = await world.signsUp({ type: 'company', region: 'eu' });
    const app: SignInAppOnce = await company.signInApps.creates();
    await expect(asksToDelete(company)).rejects.toEqual(refused('account.in_use', 409));

    await company.signInApps.deletes(app.id);
    await expect(asksToDelete(company)).resolves.toBeDefined();
  });
});
