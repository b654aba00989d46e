import {
  companyData,
  PLUGINS_PER_COMPANY,
  plugins,
  REQUEST_PLUGIN_BYTES,
  services,
  type Output,
  type PluginDescription,
  type Refusal,
  type Request,
} from '@codase/contracts';
import { execute, one, sql } from '@codase/runtime/db';
import { World, type Company } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { ORDER_FLOW } from '../flows/order-flow.ts';

type NewRow = Request<typeof services.publishRequestFields>['body']['fields'][number];

const ADDRESS = 'https://plugins.acme.example/address';
const TOKEN = 'a-token-of-acme-7f2a';
const NOBODY = { flows: [], request_fields: [], claims: [] };
const COUNTRY = { key: 'country', type: 'text', label: 'Country', required: false } as const;
const DESCRIPTION: PluginDescription = {
  name: 'Address search',
  public_key: 'a2V5',
  field_types: [
    {
      field_type: 'delivery_address',
      label: 'Delivery address',
      blocks: [{ key: 'place', kind: 'search_select', label: 'Place' }],
      inputs: [COUNTRY],
      outputs: [{ key: 'zone', type: 'number', label: 'Zone' }],
    },
  ],
};

const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });

describe('the plugins of a company @spec D1-2.11 @spec D1-4.6', () => {
  let world: World;
  let acme: Company;
  let db: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    acme = world.acme;
    db = await world.opensDatabase('region_eu', { pool: 2 });
  });
  afterEach(async () => {
    await execute(db, sql`delete from request_field where plugin is not null`);
    await execute(db, sql`delete from plugin`);
  });
  afterAll(() => world?.close());

  const adds = (base_url = ADDRESS, token?: string) =>
    acme.asks(plugins.addPlugin, { body: { base_url, ...(token !== undefined && { token }) } });
  const lists = (company = acme) => company.asks(plugins.listPlugins, {});
  const changes = (id: string, token: string | null) => acme.asks(plugins.changePluginToken, { params: { id }, body: { token } });
  const removes = (id: string) => acme.asks(plugins.deletePlugin, { params: { id } });
  /** Adds a plugin with its description, as the forwarder stores it. */
  const described = async (description = DESCRIPTION): Promise<Output<typeof plugins.addPlugin>> => {
    const plugin = await adds();
    await execute(
      db,
      sql`
      update plugin set description = ${JSON.stringify(description)}::jsonb, last_refresh = ${world.now} where plugin_id = ${plugin.id}`,
    );
    return plugin;
  };
  const stored = async (id: string) =>
    (await one<{ sealed_secrets: string }>(db, sql`select sealed_secrets from plugin where plugin_id = ${id}`))!.sealed_secrets;

  it('adding a plugin by its address returns a registry pass for its description', async () => {
    const { registry_pass, ...plugin } = await adds(`${ADDRESS}/`, TOKEN);

    expect(plugin).toEqual({
      id: expect.stringMatching(/^plug_\w{24}$/),
      name: null,
      base_url: ADDRESS,
      builtin_key: null,
      token: '••••7f2a',
      field_types: [],
      last_refresh: null,
      last_error: null,
      in_use: NOBODY,
    });
    expect(registry_pass).toEqual({ pass: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/), forwarder_url: expect.any(String) });
    expect(await acme.asks(plugins.issueRegistryPass, { params: { id: plugin.id } })).toEqual(
      expect.objectContaining({ forwarder_url: registry_pass.forwarder_url }),
    );
    expect(await lists()).toMatchObject({ items: [plugin], next_cursor: null });
    expect(await lists(world.bolt)).toMatchObject({ items: [] });
  });

  it.each([
    ['http://plugins.acme.example', 'plugins.url_invalid'],
    ['https://plugins.acme.example:8443', 'plugins.url_invalid'],
    ['https://user:password@plugins.acme.example', 'plugins.url_invalid'],
    ['https://plugins.acme.example/?a=b', 'plugins.url_invalid'],
    ['https://plugins.acme.example/#a', 'plugins.url_invalid'],
    ['https://10.0.0.1', 'plugins.url_invalid'],
    ['https://[fd12::1]/', 'plugins.url_invalid'],
    ['https://0x0a000001/', 'plugins.url_invalid'],
    ['https://intranet', 'plugins.url_invalid'],
    ['nonsense', 'plugins.url_invalid'],
    ['', 'plugins.body_invalid'],
  ] as const)('a plugin at the address %j is refused @spec D1-7', async (base_url, key) => {
    await expect(adds(base_url)).rejects.toEqual(refused(key, 400));
  });

  it("the refusal of a plugin's address says what is wrong with it @spec D1-7", async () => {
    await expect(adds('https://192.168.0.1')).rejects.toThrow('base_url: is an address that is not public');
    await expect(adds('https://plugins.acme.example:8443')).rejects.toThrow('base_url: must be on port 443');
  });

  it.each(['with blanks', 'ümlaut', 'x'.repeat(4097), ''])('a plugin token like %j is refused @spec D1-7 @spec D1-8', async (token) => {
    await expect(adds(ADDRESS, token)).rejects.toEqual(refused('plugins.body_invalid', 400));
  });

  it('a second plugin at one address and a second switch-on of a built-in plugin are refused @spec D1-7', async () => {
    await adds();
    await expect(adds(`${ADDRESS}//`)).rejects.toEqual(refused('plugins.duplicate', 409));
    const on = () => acme.asks(plugins.switchOnBuiltin, { params: { key: 'places' } });
    await on();
    await expect(on()).rejects.toEqual(refused('plugins.duplicate', 409));
  });

  it('a company cannot add more plugins than the limit @gap D1-8', async () => {
    await execute(
      db,
      sql`
      insert into plugin (plugin_id, company_user_id, base_url, sealed_secrets, created_at)
      select 'plug_' || n, ${acme.user_id}, 'https://' || n || '.example', '', now() from generate_series(1, ${PLUGINS_PER_COMPANY}) n`,
    );
    await expect(adds()).rejects.toEqual(refused('request.invalid', 400));
  });

  it("a plugin's token can be replaced and cleared, stays on an empty string, and is stored sealed", async () => {
    const { id } = await adds(ADDRESS, TOKEN);
    expect(await stored(id)).not.toContain(TOKEN);

    const before = await stored(id);
    expect(await changes(id, '')).toMatchObject({ token: '••••7f2a' });
    expect(await stored(id)).toBe(before);
    expect(await changes(id, 'another-token-0b1c')).toMatchObject({ token: '••••0b1c' });
    expect(await changes(id, null)).toMatchObject({ token: null });
    await expect(changes(id, 'ümlaut')).rejects.toEqual(refused('plugins.body_invalid', 400));
    const misspelt = acme.asks(plugins.changePluginToken, { params: { id }, body: { token: null, tokne: TOKEN } as { token: null } });
    await expect(misspelt).rejects.toEqual(refused('request.invalid', 400));
  });

  it('a built-in plugin is switched on by its key and accepts no token @spec D1-7', async () => {
    const { builtin } = await lists();
    expect(builtin).toEqual([
      { key: 'places', name: 'Places', enabled: false },
      { key: 'bank_account', name: 'Bank account', enabled: false },
    ]);

    const { id, ...plugin } = await acme.asks(plugins.switchOnBuiltin, { params: { key: 'places' } });

    expect(plugin).toMatchObject({ base_url: null, builtin_key: 'places', token: null });
    expect((await lists()).builtin[0]).toEqual({ key: 'places', name: 'Places', enabled: true });
    await expect(changes(id, TOKEN)).rejects.toEqual(refused('plugins.builtin_token_locked', 400));
    for (const key of ['unknown', '1', 'constructor'])
      await expect(acme.asks(plugins.switchOnBuiltin, { params: { key } })).rejects.toEqual(refused('plugins.builtin_unknown', 404));
  });

  it('a plugin that was deleted or belongs to another company is not found @spec D1-7', async () => {
    const { id } = await adds();
    const notFound = refused('plugins.not_found', 404);
    await expect(world.bolt.asks(plugins.deletePlugin, { params: { id } })).rejects.toEqual(notFound);

    await removes(id);

    await expect(removes(id)).rejects.toEqual(notFound);
    await expect(changes(id, null)).rejects.toEqual(notFound);
    await expect(acme.asks(plugins.issueRegistryPass, { params: { id } })).rejects.toEqual(notFound);
  });

  it("publishing a flow copies its plugin's description, and the plugin cannot be deleted while in use @spec D2-2.6", async () => {
    const { id } = await described();
    const plugin = { plugin_id: id, field_type: 'delivery_address', inputs: { country: 'order_number' } };
    const element = { kind: 'plugin', slug: 'delivery', label: 'Delivery', required: false, plugin };
    const [order, confirm] = ORDER_FLOW.nodes;
    const draft = { ...ORDER_FLOW, nodes: [order!, { ...confirm!, elements: [...confirm!.elements, element] }] };

    const flow = await acme.flows.publishes(world.shop.service_id!, draft);

    const { draft: saved } = (await acme.flows.reads(flow)) as unknown as { draft: typeof draft };
    expect(saved.nodes[1]!.elements[1]).toMatchObject({ plugin: { ...plugin, snapshot: { plugin_name: 'Address search' } } });
    const in_use = { ...NOBODY, flows: [flow.name] };
    expect((await lists()).items[0]!.in_use).toEqual(in_use);
    await expect(removes(id)).rejects.toMatchObject({ key: 'plugins.in_use', extras: { in_use } });
    await acme.flows.deletes(flow);
    await removes(id);
  });

  describe('plugins in request fields @spec D1-2.6', () => {
    const row = (plugin_id: string, field_type = 'delivery_address'): NewRow => ({
      slug: 'delivery',
      label: 'Delivery',
      type: 'plugin',
      plugin: { plugin_id, field_type },
    });
    const params = () => ({ id: world.shop.service_id! });
    const publishes = async (...fields: NewRow[]) => {
      const { config_token } = await acme.asks(services.readOwnRequestFields, { params: params() });
      return acme.asks(services.publishRequestFields, { params: params(), body: { config_token, fields } });
    };

    it("publishing request fields copies the plugin's description, and the plugin cannot be deleted while in use", async () => {
      const { id } = await described();
      const { public_key: _, name, field_types } = DESCRIPTION;
      const { field_type, ...field } = field_types[0]!;

      const published = await publishes(row(id));

      const snapshot = { plugin_name: name, host: 'plugins.acme.example', ...field };
      expect(published.fields).toMatchObject([{ type: 'plugin', plugin: { plugin_id: id, name, field_type, snapshot } }]);
      expect((await lists()).items[0]!.in_use).toEqual({ ...NOBODY, request_fields: ['Shop: Delivery'] });
      const inUse = { ...NOBODY, request_fields: ['Shop: Delivery'] };
      await expect(removes(id)).rejects.toMatchObject({ key: 'plugins.in_use', status: 409, extras: { in_use: inUse } });

      await publishes();
      await removes(id);
    });

    it("the data client reads a plugin field without the plugin's id", async () => {
      const { id } = await described();
      await publishes(row(id));

      const { fields } = await world.shop.asks(companyData.readRequestFields, {});
      expect(fields[0]!.plugin).toEqual({ name: 'Address search', field_type: 'delivery_address', snapshot: expect.any(Object) });
    });

    it('a request field gets a new id when another field type of the plugin answers it', async () => {
      const other = { ...DESCRIPTION.field_types[0]!, field_type: 'other' };
      const { id } = await described({ ...DESCRIPTION, field_types: [...DESCRIPTION.field_types, other] });
      const idOf = async (field_type: string) => (await publishes(row(id, field_type))).fields[0]!.service_field_id;

      const first = await idOf('delivery_address');
      expect(await idOf('delivery_address')).toBe(first);
      expect(await idOf('other')).not.toBe(first);
    });

    const invalid = (because: string) =>
      expect.objectContaining({ key: 'services.request_field_plugin_invalid', status: 400, message: because });

    it('publishing is refused when the plugin descriptions of all rows together exceed the byte limit @gap D1-8', async () => {
      const long = { ...DESCRIPTION.field_types[0]!, label: 'x'.repeat(REQUEST_PLUGIN_BYTES / 3) };
      const { id } = await described({ ...DESCRIPTION, field_types: [long] });
      const rows = ['one', 'two', 'three'].map((slug) => ({ ...row(id), slug }));

      expect((await publishes(...rows.slice(0, 2))).fields).toHaveLength(2);
      await expect(publishes(...rows)).rejects.toEqual(invalid(expect.stringMatching(/^three: .*262144 bytes/)));
    });

    it('a plugin that cannot answer the request field is refused with the reason @spec D1-7', async () => {
      const undescribed = await adds('https://other.acme.example');
      const needy = { ...DESCRIPTION.field_types[0]!, field_type: 'needy', inputs: [{ ...COUNTRY, required: true }] };
      const { id } = await described({ ...DESCRIPTION, field_types: [...DESCRIPTION.field_types, needy] });

      await expect(publishes(row('plug_1'))).rejects.toEqual(invalid(expect.stringContaining('you have no plugin plug_1')));
      await expect(publishes(row(undescribed.id))).rejects.toEqual(invalid(expect.stringContaining('has no description yet')));
      await expect(publishes(row(id, 'needy'))).rejects.toEqual(invalid(expect.stringContaining('needs the input country')));
      await expect(publishes(row(id, 'unknown'))).rejects.toEqual(invalid(expect.stringContaining('has no field type unknown')));
    });
  });
});
