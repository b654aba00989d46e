import {
  OpenedReply,
  PLUGIN_CALLS_PER_MINUTE,
  connections,
  customer,
  plugins,
  services,
  type FlowDefinition,
  type PluginPass,
} from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import { openValue, type ReplyKey } from '@codase/crypto/open';
import { readPluginAnswer, writePluginAnswer, type PluginUse } from '@codase/domain/flow-language';
import { execute, sql } from '@codase/runtime/db';
import { freePort } from '@codase/servers';
import { collectTelemetry, forgetTelemetry, World, type Backend, type OwnConnection, type Person } from '@codase/testing';
import { replyKey as replyKeyInTurn } from '@codase/testing/keys';
import { request } from 'undici';
import type { DataSource } from 'typeorm';
import { asksFor, refused } from '../../sharing/connections/connections-world.ts';
import { customerSide, orderWith, publishes, serviceSide } from './flow-runs-world.ts';

const { measured } = collectTelemetry();
const ORIGIN = 'https://phone.example';
const PLACE = 'country_and_subdivision';

describe('a run with a plugin field @spec D2-2.6 @spec D2-4.4 @spec D2-4.5', () => {
  let world: World;
  let shop: Backend;
  let db: DataSource;
  let ben: Person;
  let connection: OwnConnection;
  let replyKey: ReplyKey;
  let plugin: string;
  let forwarder: string;
  /** The URL of a second forwarder process. */
  let other: string;
  let flow: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    const port = await freePort();
    other = `http://127.0.0.1:${port}`;
    [replyKey, db] = await Promise.all([
      replyKeyInTurn(),
      world.opensDatabase('region_eu', { pool: 2 }),
      world.starts('forwarder', { WEB_ORIGINS: `https://portal.example, ${ORIGIN}` }),
      world.starts('forwarder', { PORT: String(port), OPS_PORT: '0' }),
    ]);
    [shop, ben] = [world.shop, world.person('BEN')];
    const { id, registry_pass } = await world.acme.asks(plugins.switchOnBuiltin, { params: { key: 'places' } });
    [plugin, forwarder] = [id, registry_pass.forwarder_url];
    await world.stranger.asks(plugins.refreshPlugin, { body: { pass: registry_pass.pass } }, { at: forwarder });
    flow = await publishes(world.acme, shop.service_id!, withPlaces(plugin));
    connection = await ben.connections.connects('ACME/SHOP');
  });
  beforeEach(() => execute(db, sql`delete from plugin_call`));
  afterAll(async () => {
    await world?.close();
    forgetTelemetry();
  });

  /** A flow in which both sides have a step that asks for a place. */
  const withPlaces = (plugin_id: string): FlowDefinition =>
    orderWith(({ nodes }) => {
      const use = { plugin_id, field_type: PLACE, inputs: {} };
      const element = (slug: string) => ({ kind: 'plugin', slug, label: slug, required: true, plugin: use }) as never;
      nodes[0]!.elements.push(element('from_place'));
      nodes[1]!.elements.push(element('to_place'));
    });
  const starts = () => shop.flows.starts(flow, { target: { connection_id: connection.id } });
  /** Asks the plugin a question. Returns its reply. */
  const asks = async (pass: PluginPass, question: object, at = forwarder): Promise<OpenedReply> => {
    const { id, public_key } = pass.plugins[0]!;
    const text = JSON.stringify({ field_type: PLACE, ...question, reply_key: replyKey.reply_key });
    const sealed = await sealValue(await importValuePublicKey(public_key!), text);
    const body = { pass: pass.pass, plugin_id: id, request: sealed };
    const { reply } = await world.stranger.asks(plugins.callPlugin, { body }, { at });
    return OpenedReply.parse(JSON.parse(await openValue(replyKey.privateKey, reply)));
  };
  const options = { op: 'options', block: 'country', query: 'austria' };
  /** Fills the field as a client does: it searches, picks an option, and asks the plugin for the outputs. */
  const fills = async (pass: PluginPass, slug: string): Promise<string> => {
    const found = (await asks(pass, options)) as { options: { id: string; label: string }[] };
    const [country] = found.options;
    const { outputs } = (await asks(pass, { op: 'outputs', picks: { country: country!.id } })) as {
      outputs: Record<string, string | null>;
    };
    return writePluginAnswer(pass.specs[slug] as PluginUse, { picks: { country: country! }, values: {}, outputs });
  };

  it('is answered by a customer in another region and by the company, each with a pass for its own turn', async () => {
    const run = await starts();
    const customers = customerSide(ben, connection);
    const pass = await customers.pass!(run.id);
    expect(Object.keys(pass.specs)).toEqual(['from_place']);
    await expect(serviceSide(shop).pass!(run.id)).rejects.toEqual(refused('flows.not_your_turn', 403));

    const answered = await ben.flows.answers(connection, run, { from_place: await fills(pass, 'from_place') }, { next_node: 'price' });
    expect(answered).toMatchObject({ status: 'awaiting_company', private_slugs: [] });
    const own = await serviceSide(shop).pass!(run.id);
    expect(Object.keys(own.specs)).toEqual(['to_place']);
    const to_place = await fills(own, 'to_place');
    const next = await shop.flows.answers(run, { to_place }, { next_node: 'confirm' }, [ben]);

    expect(next).toMatchObject({ status: 'awaiting_customer', current_node: 'confirm' });
    const { value } = next.answers.find(({ slug }) => slug === 'from_place')!;
    expect(readPluginAnswer(await shop.opens(value))).toMatchObject({
      plugin: 'Places',
      blocks: [{ key: 'country', pick: { id: 'AT', label: 'Austria' } }, { key: 'subdivision' }],
      outputs: [{ key: 'country_code', value: 'AT' }, { value: 'AUT' }, { value: null }],
    });
    expect(await customers.pass!(run.id)).toMatchObject({ plugins: [], specs: {} });
    await shop.flows.cancels(run);
  });

  it('shares the plugin answer at the end if a request field has the same plugin and field type @spec D1-2.6 @spec D2-1', async () => {
    const bank = await world.acme.asks(plugins.switchOnBuiltin, { params: { key: 'bank_account' } });
    await world.stranger.asks(plugins.refreshPlugin, { body: { pass: bank.registry_pass.pass } }, { at: forwarder });
    const asksWith = (plugin_id: string, field_type: string) =>
      asksFor(world.acme, shop.service_id!, [{ slug: 'from_place', label: 'From', type: 'plugin', plugin: { plugin_id, field_type } }]);
    const completes = async () => {
      const run = await starts();
      const from_place = await fills(await customerSide(ben, connection).pass!(run.id), 'from_place');
      await ben.flows.answers(connection, run, { from_place }, { next_node: 'price' });
      await shop.flows.answers(run, {}, { next_node: 'confirm' }, [ben]);
      expect(await ben.flows.answers(connection, run, {}, { leaf: true })).toMatchObject({ status: 'completed' });
      const { values } = await shop.asks(connections.readConnection, { params: { connectionId: connection.id } });
      return { from_place, shared: values['from_place'] };
    };

    await asksWith(bank.id, 'iban');
    expect((await completes()).shared).toBeUndefined();
    await asksWith(plugin, PLACE);
    const { from_place, shared } = await completes();

    expect(shared).toMatchObject({ live: false });
    expect(await shop.opens(shared!.value!)).toBe(from_place);
    await asksFor(world.acme, shop.service_id!, []);
    await world.acme.asks(plugins.deletePlugin, { params: { id: bank.id } });
  });

  it('prevents the deletion of its plugin while it is open, also after a newer version is published @spec D1-2.11', async () => {
    const own = await publishes(world.acme, shop.service_id!, withPlaces(plugin));
    const run = await shop.flows.starts(own, { target: { connection_id: connection.id } });
    for (const id of [own, flow])
      await publishes(
        world.acme,
        shop.service_id!,
        orderWith(() => undefined),
        id,
      );
    const removes = () => world.acme.asks(plugins.deletePlugin, { params: { id: plugin } });
    const { name } = await world.acme.flows.reads({ id: own });

    const in_use = { flows: [name], request_fields: [], claims: [] };
    await expect(removes()).rejects.toMatchObject({ key: 'plugins.in_use', extras: { in_use } });
    const pass = await customerSide(ben, connection).pass!(run.id);
    expect(await asks(pass, options)).toMatchObject({ options: [{ id: 'AT' }] });
    await shop.flows.cancels(run);
    const { items } = await world.acme.asks(plugins.listPlugins, {});
    expect(items.map((item) => item.in_use)).toEqual([{ flows: [], request_fields: [], claims: [] }]);

    await publishes(world.acme, shop.service_id!, withPlaces(plugin), flow);
  });

  it("is subject to the plugin's rate limit, counted over all forwarder processes @spec D2-8", async () => {
    const run = await starts();
    const pass = await customerSide(ben, connection).pass!(run.id);
    await execute(
      db,
      sql`
      insert into plugin_call (call_id, plugin_id, began_at, ended_at)
      select 'call_' || n, ${plugin}, ${world.now}, ${world.now} from generate_series(1, ${PLUGIN_CALLS_PER_MINUTE - 2}) n`,
    );

    await asks(pass, options, other);
    await asks(pass, options);

    for (const at of [forwarder, other]) await expect(asks(pass, options, at)).rejects.toEqual(refused('plugin.rate_limited', 429));
    const calls = (await measured()).filter(({ name }) => name === 'codase.plugin.call.duration');
    const outcomes = calls.map(({ attributes }) => attributes['codase.outcome']);
    expect(outcomes).toEqual(expect.arrayContaining(['answered', 'plugin.rate_limited']));
    await shop.flows.cancels(run);
  });

  it('gives no access to plugins of another company', async () => {
    const run = await starts();
    const { public_key } = (await customerSide(ben, connection).pass!(run.id)).plugins[0]!;
    const own = await world.bolt.asks(plugins.switchOnBuiltin, { params: { key: 'places' } });
    await world.stranger.asks(plugins.refreshPlugin, { body: { pass: own.registry_pass.pass } }, { at: forwarder });
    const params = { id: world.boltShop.service_id! };
    const { config_token } = await world.bolt.asks(services.readOwnRequestFields, { params });
    const fields = [{ slug: 'place', label: 'Place', type: 'plugin', plugin: { plugin_id: own.id, field_type: PLACE } }];
    await world.bolt.asks(services.publishRequestFields, { params, body: { config_token, fields } });
    const ofBolt = await ben.asks(customer.issueRequestPluginPass, { params: { companyCode: 'BOLT', serviceCode: 'DESK' } });

    await expect(asks({ ...ofBolt, plugins: [{ id: plugin, public_key }] }, options)).rejects.toEqual(refused('plugin.not_in_pass', 403));
    await shop.flows.cancels(run);
  });

  it('allows plugin calls only from web pages of the configured origins', async () => {
    const preflight = (origin: string, at = forwarder) =>
      request(`${at}/call`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      });
    const allowed = await preflight(ORIGIN);
    expect(allowed.statusCode).toBe(204);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-headers': expect.stringContaining('content-type'),
    });
    expect(allowed.headers).not.toHaveProperty('access-control-allow-credentials');
    for (const [origin, at] of [
      ['https://phone.example.evil.example', forwarder],
      ['http://phone.example', forwarder],
      [ORIGIN, other],
    ] as const) {
      const answer = await preflight(origin, at);
      expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([404, undefined]);
    }

    const headers = { origin: ORIGIN, 'content-type': 'application/json' };
    const answer = await request(`${forwarder}/call`, { method: 'POST', headers, body: '{"pass":"x","plugin_id":"x","request":"x"}' });
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([400, ORIGIN]);
  });
});
