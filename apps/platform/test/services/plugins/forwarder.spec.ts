import {
  customer,
  OpenedReply,
  PLUGIN_CALL,
  PLUGIN_CALLS_PER_MINUTE,
  PLUGIN_PASS_SECONDS,
  plugins,
  REGION_PLUGINS,
  services,
  type Output,
  type PluginDescription,
  type PluginPass,
  type Refusal,
  type Request,
} from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import { openValue, type ReplyKey } from '@codase/crypto/open';
import { execute, many, one, sql } from '@codase/runtime/db';
import { freePort } from '@codase/servers';
import { comesTrue, SamplePlugin, selfSignedCertificate, World, type Company, type Person } from '@codase/testing';
import { replyKey as replyKeyInTurn } from '@codase/testing/keys';
import { createServer } from 'node:https';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import type { DataSource } from 'typeorm';
import { newSealingKey } from '../../../src/kit/secrets/process-seal.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';

type NewRow = Request<typeof services.publishRequestFields>['body']['fields'][number];
type Added = Output<typeof plugins.addPlugin>;

const TOKEN = 'a-token-of-acme-7f2a';
const TLS = selfSignedCertificate();
const CODES = { companyCode: 'ACME', serviceCode: 'SHOP' };

const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });

describe('the forwarder @spec D2-4.5 @spec D2-7', () => {
  let world: World;
  let acme: Company;
  let ben: Person;
  let db: DataSource;
  let sample: SamplePlugin;
  let replyKey: ReplyKey;
  let pickup: Added;
  let places: Added;
  let forwarder: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    [, sample, replyKey, db] = await Promise.all([
      world.starts('forwarder', { OUTBOUND_CA: TLS.cert }),
      SamplePlugin.start(TLS, TOKEN),
      replyKeyInTurn(),
      world.opensDatabase('region_eu', { pool: 2 }),
    ]);
    acme = world.acme;
    ben = world.person('BEN');
    pickup = await acme.asks(plugins.addPlugin, { body: { base_url: sample.base_url, token: TOKEN } });
    places = await acme.asks(plugins.switchOnBuiltin, { params: { key: 'places' } });
    forwarder = pickup.registry_pass.forwarder_url;
    for (const { registry_pass } of [pickup, places]) await refreshes(registry_pass.pass);
    await publishes(row('pickup', pickup, 'pickup_point'), row('place', places, 'country_and_subdivision'));
  });
  beforeEach(() => execute(db, sql`delete from plugin_call`));
  afterAll(async () => {
    await world?.close();
    await sample?.remove();
  });

  const row = (slug: string, { id }: Added, field_type: string): NewRow => ({
    slug,
    label: slug,
    type: 'plugin',
    plugin: { plugin_id: id, field_type },
  });
  const publishes = async (...fields: NewRow[]) => {
    const params = { id: world.shop.service_id! };
    const { config_token } = await acme.asks(services.readOwnRequestFields, { params });
    return acme.asks(services.publishRequestFields, { params, body: { config_token, fields } });
  };
  const refreshes = (pass: string) => world.stranger.asks(plugins.refreshPlugin, { body: { pass } }, { at: forwarder });
  const passOf = (person: Person): Promise<PluginPass> => person.asks(customer.issueRequestPluginPass, { params: CODES });
  const keyOf = (pass: PluginPass, { id }: Added) => pass.plugins.find((plugin) => plugin.id === id)!.public_key!;
  const sealed = async (public_key: string, question: object) =>
    sealValue(await importValuePublicKey(public_key), JSON.stringify({ ...question, reply_key: replyKey.reply_key }));
  const calls = (pass: string, plugin_id: string, sealedQuestion: string) =>
    world.stranger.asks(plugins.callPlugin, { body: { pass, plugin_id, request: sealedQuestion } }, { at: forwarder });
  /** Asks a question as a party. Returns the reply, which that party alone can open. */
  const asks = async (pass: PluginPass, plugin: Added, question: object, public_key = keyOf(pass, plugin)): Promise<OpenedReply> => {
    const { reply } = await calls(pass.pass, plugin.id, await sealed(public_key, question));
    return OpenedReply.parse(JSON.parse(await openValue(replyKey.privateKey, reply)));
  };
  const listed = async ({ id }: Added) => (await acme.asks(plugins.listPlugins, {})).items.find((plugin) => plugin.id === id)!;
  const options = { field_type: 'country_and_subdivision', op: 'options', block: 'country', query: 'austria' };

  it("refreshes a plugin's description, which its company then sees @spec D1-2.11", async () => {
    const { last_refresh } = await refreshes(pickup.registry_pass.pass);

    expect(await listed(pickup)).toMatchObject({
      name: 'Pickup points',
      field_types: [{ field_type: 'pickup_point', label: 'Pickup point' }],
      last_refresh,
      last_error: null,
    });
  });

  it('forwards sealed questions and replies, for customers of every region', async () => {
    const pass = await passOf(ben);
    expect(pass.specs['pickup']).toMatchObject({ plugin_id: pickup.id, snapshot: { plugin_name: 'Pickup points' }, inputs: {} });
    const question = { field_type: 'pickup_point', inputs: { postcode: '1010' } };

    const points = await asks(pass, pickup, { ...question, op: 'options', block: 'point', query: 'book' });
    const slots = await asks(pass, pickup, { ...question, op: 'options', block: 'slot', picks: { point: 'centre' } });
    const picks = { point: 'centre', slot: 'noon' };

    expect(points).toEqual({ options: [{ id: 'centre', label: 'Bookshop Graben' }], more: false });
    expect(slots).toMatchObject({ options: [{ id: 'morning' }, { id: 'noon' }, { id: 'evening' }] });
    expect(await asks(pass, pickup, { ...question, op: 'outputs', picks })).toEqual({ outputs: { fee: 1.5, name: 'Bookshop Graben' } });
    const moved = { ...question, op: 'outputs', picks, inputs: { postcode: '1200' } };
    expect(await asks(pass, pickup, moved)).toEqual({ picks_invalid: true });
  });

  it('answers for the built-in plugins @spec D1-2.11', async () => {
    const pass = await passOf(world.person('ANA'));

    expect(await asks(pass, places, options)).toMatchObject({ options: [{ id: 'AT', label: 'Austria' }] });
    await expect(calls(pass.pass, places.id, await sealed(keyOf(pass, pickup), options))).rejects.toMatchObject({
      key: 'plugin.key_changed',
      extras: { public_key: keyOf(pass, places) },
    });
    await expect(calls(pass.pass, places.id, await sealValue(await importValuePublicKey(keyOf(pass, places)), 'no JSON'))).rejects.toEqual(
      refused('plugin.not_responding', 502),
    );
  });

  it('reports a changed plugin key with the new key, and accepts questions sealed to it', async () => {
    const pass = await passOf(ben);
    await sample.startsWithNewKey();
    const question = { field_type: 'pickup_point', op: 'options', block: 'point' };

    const changed = await asks(pass, pickup, question).catch((error: Refusal) => error);

    expect(changed).toEqual(refused('plugin.key_changed', 409));
    const { public_key } = (changed as Refusal).extras as { public_key: string };
    expect(public_key).not.toBe(keyOf(pass, pickup));
    expect(await asks(pass, pickup, question, public_key)).toMatchObject({ more: false });
    expect(keyOf(await passOf(ben), pickup)).toBe(public_key);
  });

  it("audits changes of a plugin's description, but not each question that is sealed to another key", async () => {
    const pass = await passOf(ben);
    const audited = () => many(db, sql`select from audit.entry where act = 'plugin.refreshed' and object = ${pickup.id}`);
    const before = await audited();

    await expect(calls(pass.pass, pickup.id, await sealed(keyOf(pass, places), options))).rejects.toEqual(
      refused('plugin.key_changed', 409),
    );

    expect(before).not.toEqual([]);
    expect(await audited()).toHaveLength(before.length);
  });

  describe('refusals', () => {
    const question = async () => sealed(keyOf(await passOf(ben), places), options);

    it('refuses a pass that is forged, expired or issued for another use', async () => {
      const [pass, text] = [await passOf(ben), await question()];
      const invalid = refused('plugin.pass_invalid', 401);
      const [head, body, signature] = pass.pass.split('.') as [string, string, string];
      const forged = [head, Buffer.from('{"aud":"plugin-forwarder","use":"call"}').toString('base64url'), signature].join('.');
      const { access_token } = await world.shop.getsToken();
      for (const wrong of ['x', `${head}.${body}.`, forged, access_token, places.registry_pass.pass])
        await expect(calls(wrong, places.id, text)).rejects.toEqual(invalid);
      await expect(refreshes(pass.pass)).rejects.toEqual(invalid);
      const issued = (await acme.asks(plugins.issueRegistryPass, { params: { id: places.id } })).pass;
      await expect(acme.asks(services.listServices, { query: { limit: 1 } }, { token: issued })).rejects.toEqual(
        refused('auth.token_invalid', 401),
      );

      await world.passes({ seconds: PLUGIN_PASS_SECONDS });

      await expect(calls(pass.pass, places.id, text)).rejects.toEqual(invalid);
      await expect(refreshes(issued)).rejects.toEqual(invalid);
    });

    it('refuses a plugin that is not in the pass or was deleted', async () => {
      const other = await acme.asks(plugins.switchOnBuiltin, { params: { key: 'bank_account' } });
      const pass = await passOf(ben);
      await expect(calls(pass.pass, other.id, await question())).rejects.toEqual(refused('plugin.not_in_pass', 403));
      await acme.asks(plugins.deletePlugin, { params: { id: other.id } });
      await expect(refreshes(other.registry_pass.pass)).rejects.toEqual(refused('plugin.not_found', 404));
      await execute(db, sql`update plugin set plugin_id = plugin_id || 'x' where plugin_id = ${places.id}`);
      await expect(calls(pass.pass, places.id, await sealed(keyOf(pass, places), options))).rejects.toEqual(
        refused('plugin.not_found', 404),
      );
      await execute(db, sql`update plugin set plugin_id = ${places.id} where plugin_id = ${`${places.id}x`}`);
    });

    it('refuses to store the description of a plugin that is being deleted', async () => {
      const { id: plugin_id } = await acme.asks(plugins.switchOnBuiltin, { params: { key: 'bank_account' } });
      const replica = await world.busAs('platform-forwarder');
      const message = { call_id: 'call_1', plugin_id, use: 'registry' as const, sealing_key: newSealingKey().public_key };
      await replica.request(REGION_PLUGINS.begin, { region: 'eu' }, message);
      const described = sql`select description from plugin where plugin_id = ${places.id}`;
      const { description } = (await one<{ description: PluginDescription }>(db, described))!;
      let reported: Promise<unknown> = Promise.resolve();

      await inOwnTransaction(db, async (tx) => {
        await execute(tx, sql`delete from plugin where plugin_id = ${plugin_id}`);
        reported = Promise.allSettled([replica.request(REGION_PLUGINS.describe, { region: 'eu' }, { call_id: 'call_1', description })]);
        await comesTrue(async () => expect(await lockWaits(tx, 'transactionid')).toBeGreaterThan(0));
      });

      expect(await reported).toMatchObject([{ reason: refused('plugin.not_found', 404) }]);
    });

    it('refuses a question that is not sealed, and a malformed request', async () => {
      const { pass } = await passOf(ben);
      await expect(calls(pass, places.id, 'in the clear')).rejects.toEqual(refused('plugin.request_invalid', 400));
      const body = { pass, plugin_id: places.id, request: await question(), more: 1 };
      const invalid = refused('request.invalid', 400);
      await expect(world.stranger.asks(plugins.callPlugin, { body }, { at: forwarder })).rejects.toEqual(invalid);
      await expect(world.stranger.asks(plugins.refreshPlugin, { body }, { at: forwarder })).rejects.toEqual(invalid);
      expect((await request(`${forwarder}/anything`)).statusCode).toBe(404);
    });

    it('refuses calls over the rate limit of an IP address @gap D1-8', async () => {
      const tiny = { plugin_calls: { burst: 1, per_second: 0.01 } };
      const port = await freePort();
      await world.starts('forwarder', { PORT: String(port), OPS_PORT: '0', RATE_LIMITS: JSON.stringify(tiny) });
      const at = `http://127.0.0.1:${port}`;
      const [call, refresh] = [{ pass: 'x', plugin_id: 'x', request: await question() }, { pass: 'x' }];
      await expect(world.stranger.asks(plugins.callPlugin, { body: call }, { at })).rejects.toEqual(refused('plugin.pass_invalid', 401));

      await expect(world.stranger.asks(plugins.callPlugin, { body: call }, { at })).rejects.toEqual(refused('rate_limit.exceeded', 429));
      await expect(world.stranger.asks(plugins.refreshPlugin, { body: refresh }, { at })).rejects.toEqual(
        refused('rate_limit.exceeded', 429),
      );
    });

    it("refuses concurrent calls over a plugin's limit, and abandoned calls stop counting after a while @spec D2-8", async () => {
      await begun(PLUGIN_CALL.in_flight);
      const pass = await passOf(ben);
      await expect(asks(pass, places, options)).rejects.toMatchObject({ key: 'plugin.busy', status: 429, retryAfter: 1 });
      const { pass: registry } = await acme.asks(plugins.issueRegistryPass, { params: { id: places.id } });
      await expect(refreshes(registry)).rejects.toEqual(refused('plugin.busy', 429));

      await world.passes({ seconds: 3 * PLUGIN_CALL.seconds });

      await expect(asks(pass, places, options)).resolves.toMatchObject({ more: false });
    });

    it('counts concurrent calls of a plugin over all replicas @spec D2-8', async () => {
      const port = await freePort();
      await world.starts('forwarder', { PORT: String(port), OPS_PORT: '0', OUTBOUND_CA: TLS.cert });
      const waiting: ServerResponse[] = [];
      const slow = createServer(TLS, (_, response) => void waiting.push(response));
      await once(slow.listen(0, '127.0.0.1'), 'listening');
      const base_url = `https://127.0.0.1:${(slow.address() as AddressInfo).port}`;
      const { id, registry_pass } = await acme.asks(plugins.addPlugin, { body: { base_url } });
      const replicas = [forwarder, `http://127.0.0.1:${port}`];
      const refreshesAt = (at: string) => world.stranger.asks(plugins.refreshPlugin, { body: { pass: registry_pass.pass } }, { at });
      const fails = (at: string) => refreshesAt(at).catch((error: Refusal) => error.key);

      const taken = Array.from({ length: PLUGIN_CALL.in_flight }, (_, nth) => fails(replicas[nth % 2]!));
      await comesTrue(async () => expect(waiting.length).toBe(PLUGIN_CALL.in_flight));
      expect(await Promise.all(replicas.map(fails))).toEqual(['plugin.busy', 'plugin.busy']);
      for (const response of waiting.splice(0)) response.writeHead(500).end();
      expect(new Set(await Promise.all(taken))).toEqual(new Set(['plugin.not_responding']));

      const again = fails(replicas[1]!);
      await comesTrue(async () => expect(waiting.length).toBe(1));
      waiting[0]!.writeHead(500).end();
      expect(await again).toBe('plugin.not_responding');
      slow.close();
      await acme.asks(plugins.deletePlugin, { params: { id } });
    });

    it('limits the concurrent calls of a company with hanging plugins, without affecting other companies', async () => {
      const waiting: ServerResponse[] = [];
      const slow = createServer(TLS, (_, response) => void waiting.push(response));
      await once(slow.listen(0, '127.0.0.1'), 'listening');
      const { port } = slow.address() as AddressInfo;
      const hanging: Added[] = [];
      for (let nth = 0; nth < 13; nth++)
        hanging.push(await acme.asks(plugins.addPlugin, { body: { base_url: `https://127.0.0.1:${port}/${nth}` } }));
      const refusals: Refusal[] = [];
      const calling = hanging.flatMap(({ registry_pass }) =>
        Array.from({ length: PLUGIN_CALL.in_flight }, () =>
          refreshes(registry_pass.pass).catch((error: Refusal) => void refusals.push(error)),
        ),
      );
      await comesTrue(async () => expect(waiting.length + refusals.length).toBe(calling.length));

      const { bolt } = world;
      const other = await bolt.asks(plugins.addPlugin, { body: { base_url: sample.base_url, token: TOKEN } });
      expect(await refreshes(other.registry_pass.pass)).toMatchObject({ plugin_id: other.id });
      const reported = refusals.map(({ key, status, retryAfter }) => ({ key, status, retryAfter }));
      expect([waiting.length, ...new Set(reported.map((one) => JSON.stringify(one)))]).toEqual([
        50,
        JSON.stringify({ key: 'plugin.unavailable', status: 503, retryAfter: 1 }),
      ]);

      for (const response of waiting) response.writeHead(500).end();
      await Promise.all(calling);
      slow.close();
      for (const { id } of hanging) await acme.asks(plugins.deletePlugin, { params: { id } });
      await bolt.asks(plugins.deletePlugin, { params: { id: other.id } });
    });

    it('refuses a pass as invalid when its company is at home in another region', async () => {
      const pass = await passOf(ben);
      const { pass: registry } = await acme.asks(plugins.issueRegistryPass, { params: { id: places.id } });
      const text = await question();
      await execute(db, sql`update plugin set plugin_id = plugin_id || 'x' where plugin_id = ${places.id}`);
      await execute(db, sql`update profile set home = 'leaving' where user_id = ${acme.user_id}`);

      await expect(calls(pass.pass, places.id, text)).rejects.toEqual(refused('plugin.pass_invalid', 401));
      await expect(refreshes(registry)).rejects.toEqual(refused('plugin.pass_invalid', 401));

      await execute(db, sql`update profile set home = 'here' where user_id = ${acme.user_id}`);
      await execute(db, sql`update plugin set plugin_id = ${places.id} where plugin_id = ${`${places.id}x`}`);
    });

    it('counts a call once when its begin is reported twice @spec D2-8', async () => {
      const replica = await world.busAs('platform-forwarder');
      const message = { call_id: 'call_1', plugin_id: places.id, use: 'call' as const, sealing_key: newSealingKey().public_key };
      for (let nth = 0; nth < 2; nth++) await replica.request(REGION_PLUGINS.begin, { region: 'eu' }, message);

      expect(await many(db, sql`select from plugin_call where plugin_id = ${places.id}`)).toHaveLength(1);
    });

    it('refuses calls over the limit per minute, with Retry-After @spec D2-8', async () => {
      await begun(PLUGIN_CALLS_PER_MINUTE, world.now);
      const pass = await passOf(ben);
      await expect(asks(pass, places, options)).rejects.toMatchObject({ key: 'plugin.rate_limited', status: 429, retryAfter: 60 });
      const { pass: registry } = await acme.asks(plugins.issueRegistryPass, { params: { id: places.id } });
      await expect(refreshes(registry)).rejects.toEqual(refused('plugin.rate_limited', 429));

      await world.passes({ minutes: 1 });

      await expect(asks(await passOf(ben), places, options)).resolves.toMatchObject({ more: false });
    });

    it('refuses calls while the company moves, without counting them', async () => {
      const pass = await passOf(ben);
      const { pass: registry } = await acme.asks(plugins.issueRegistryPass, { params: { id: places.id } });
      const text = await question();
      await execute(db, sql`update profile set home = 'leaving' where user_id = ${acme.user_id}`);

      await expect(calls(pass.pass, places.id, text)).rejects.toEqual(refused('plugin.unavailable', 503));
      await expect(refreshes(registry)).rejects.toEqual(refused('plugin.unavailable', 503));

      await execute(db, sql`update profile set home = 'here' where user_id = ${acme.user_id}`);
      expect(await one(db, sql`select 1 from plugin_call`)).toBeUndefined();
    });

    it('refuses a plugin without a description or with a wrong token or certificate, and records the error', async () => {
      const pass = await passOf(ben);
      const { pass: registry } = await acme.asks(plugins.issueRegistryPass, { params: { id: pickup.id } });
      await acme.asks(plugins.changePluginToken, { params: { id: pickup.id }, body: { token: 'another-token' } });
      const notResponding = refused('plugin.not_responding', 502);

      await expect(asks(pass, pickup, options)).rejects.toEqual(notResponding);
      expect(await listed(pickup)).toMatchObject({ name: 'Pickup points', last_error: 'It answered 401' });
      await expect(refreshes(registry)).rejects.toEqual(notResponding);
      await acme.asks(plugins.changePluginToken, { params: { id: pickup.id }, body: { token: TOKEN } });
      await refreshes(registry);
      expect(await listed(pickup)).toMatchObject({ last_error: null });

      await execute(db, sql`update plugin set description = null, last_refresh = null where plugin_id = ${pickup.id}`);
      await expect(asks(pass, pickup, options)).rejects.toEqual(notResponding);
      expect((await passOf(ben)).plugins.find(({ id }) => id === pickup.id)).toEqual({ id: pickup.id, public_key: null });
      await refreshes(registry);

      const stranger = createServer(selfSignedCertificate(), (_, response) => response.end('{}'));
      await once(stranger.listen(0, '127.0.0.1'), 'listening');
      const { port } = stranger.address() as AddressInfo;
      const { registry_pass, ...other } = await acme.asks(plugins.addPlugin, { body: { base_url: `https://127.0.0.1:${port}` } });
      await expect(refreshes(registry_pass.pass)).rejects.toEqual(notResponding);
      expect((await listed({ ...other, registry_pass })).last_error).toBe('Its certificate is not one that is trusted for its address');
      stranger.close();
      await acme.asks(plugins.deletePlugin, { params: { id: other.id } });
    });
  });

  /** Adds calls to the plugin of places that have begun, and have ended when a time is given. */
  const begun = (count: number, ended_at: Date | null = null) =>
    execute(
      db,
      sql`
      insert into plugin_call (call_id, plugin_id, began_at, ended_at)
      select 'call_' || n, ${places.id}, ${world.now}, ${ended_at} from generate_series(1, ${count}) n`,
    );
});
