import { plugins, tokens, type Refusal } from '@codase/contracts';
import { execute, sql } from '@codase/runtime/db';
import { eventually, type Company } from '@codase/testing';
import { MovingWorld } from '../../support/moving-world.ts';

const BACK = 'https://acme.example/back';
const DESCRIPTION = JSON.stringify({
  name: 'Address search',
  public_key: 'a2V5',
  field_types: [{ field_type: 'address', label: 'Address', blocks: [], inputs: [], outputs: [] }],
});
const inUse = expect.objectContaining({ key: 'plugins.in_use', status: 409 });

/** An app is at the front door, and the plugins of its claims are in a region, which may die or lose the company in between. */
describe('a sign-in app whose claims use a plugin @spec D1-2.11 @spec D1-4.6', () => {
  let moving: MovingWorld;
  beforeAll(async () => {
    moving = await MovingWorld.open({ processes: ['region-eu'] });
  });
  afterAll(() => moving?.close());

  const pluginOf = async (company: Company, base_url = 'https://plugins.acme.example'): Promise<string> => {
    const { id } = await company.asks(plugins.addPlugin, { body: { base_url } });
    const described = sql`update plugin set description = ${DESCRIPTION}::jsonb, last_refresh = now() where plugin_id = ${id}`;
    await execute(moving.internals.database('region_eu'), described);
    return id;
  };
  const claimOf = (plugin_id: string) => ({
    slug: 'address',
    label: 'Address',
    type: 'plugin',
    plugin: { plugin_id, field_type: 'address' },
  });
  const removes = (company: Company, id: string) => company.asks(plugins.deletePlugin, { params: { id } });
  const isRemoved = (company: Company, id: string) => () =>
    removes(company, id).then(
      () => true,
      ({ key }: Refusal) => (key === 'plugins.in_use' ? undefined : key),
    );
  const cutOff = (call: Promise<unknown>) =>
    call.then(
      () => 'answered',
      () => 'cut off',
    );

  it('keeps the plugin of its final claims when the region is killed before it learns of the change', async () => {
    const company = await moving.newCompany();
    const [one, other] = [await pluginOf(company), await pluginOf(company, 'https://other.acme.example')];
    const { id } = await company.signInApps.creates({ claims: [claimOf(one)] });
    const { internals, world } = moving;

    const release = await internals.hold('front_door', sql`select from client where client_id = ${id} for update`);
    const change = cutOff(company.signInApps.changes(id, { redirect_uris: [BACK], claims: [claimOf(other)] }));
    await internals.someoneWaits('front_door');
    await world.kill('region-eu');
    expect(await change).toBe('cut off');
    await release();
    await world.restart('region-eu');
    await eventually(async () => (await company.signInApps.reads(id)).redirect_uris.includes(BACK) || undefined);
    await world.passes({ minutes: 4 });

    expect(await eventually(isRemoved(company, one))).toBe(true);
    await expect(removes(company, other)).rejects.toEqual(inUse);
  });

  it('frees its plugin when the region is killed during its creation', async () => {
    const company = await moving.newCompany();
    const plugin = await pluginOf(company);
    const { internals, world } = moving;

    const release = await internals.hold('front_door', sql`select from account where user_id = ${company.user_id} for update`);
    const creation = cutOff(company.signInApps.creates({ claims: [claimOf(plugin)] }));
    await internals.someoneWaits('front_door');
    await world.kill('region-eu');
    expect(await creation).toBe('cut off');
    await release();
    await world.restart('region-eu');
    const left = await eventually(async () => (await company.signInApps.lists()).items);
    for (const { id } of left) await company.signInApps.deletes(id);
    await world.passes({ minutes: 4 });

    expect(await eventually(isRemoved(company, plugin))).toBe(true);
  });

  it('is refused and leaves nothing behind while the front door is down', async () => {
    const company = await moving.newCompany();
    const plugin = await pluginOf(company);
    const { id } = await company.signInApps.creates();
    const { world } = moving;

    await world.stop('front-door');
    const unavailable = expect.objectContaining({ key: 'service.unavailable', status: 503 });
    await expect(company.signInApps.creates({ claims: [claimOf(plugin)] })).rejects.toEqual(unavailable);
    await expect(company.signInApps.changes(id, { redirect_uris: [BACK] })).rejects.toEqual(unavailable);
    await world.starts('front-door');
    await world.passes({ minutes: 4 });

    expect(await eventually(isRemoved(company, plugin))).toBe(true);
    expect((await company.signInApps.lists()).items).toMatchObject([{ id, redirect_uris: ['https://login.example/back'] }]);
  });

  it('moves along with its company, and keeps its secret and its use of the plugin', async () => {
    const company = await moving.newCompany();
    const plugin = await pluginOf(company);
    const app = await company.signInApps.creates({ claims: [claimOf(plugin)] });
    const before = await company.signInApps.reads(app.id);

    await moving.moves(company, 'us');
    await moving.arrives(company);

    expect(await company.signInApps.reads(app.id)).toEqual(before);
    await expect(removes(company, plugin)).rejects.toEqual(inUse);
    const { client_id, client_secret } = app;
    await expect(
      moving.world.stranger.asks(tokens.issueToken, { body: { grant_type: 'client_credentials', client_id, client_secret } }),
    ).rejects.toMatchObject({ key: 'oauth.unauthorized_client' });
    await company.signInApps.changes(app.id, { redirect_uris: [BACK], claims: [] });
    await removes(company, plugin);
  });
});
