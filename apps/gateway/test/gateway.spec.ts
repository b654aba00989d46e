import { request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { account, companyData, operation, OPERATOR, RATE_LIMITS, registry } from '@codase/contracts';
import type { CodaseClient } from '@codase/client';
import type { Bus } from '@codase/runtime/bus';
import { collectTelemetry, comesTrue, eventually, World } from '@codase/testing';

describe('gateway @spec D1-5.4 @spec D1-5.6', () => {
  let world: World;
  let internal: CodaseClient;
  let suite: Bus;
  let platform: Bus;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us', 'gateway'] });
    internal = await world.internalService();
    suite = await world.operator('suite');
    platform = await world.operator('platform');
  });
  afterAll(() => world?.close());

  const ask = (timeout: number) => suite.request(operation(companyData.whoami), { service: 'shop' }, {}, { timeout });
  const switches = (change: { writes_paused?: boolean; out_of_order?: boolean }) =>
    platform.request(OPERATOR.setMode, {}, { region: 'eu', ...change });

  it('renews its token after hours without a call', async () => {
    const first = await internal.request(companyData.whoami, {});
    await world.passes({ hours: 3 });

    expect(await internal.request(companyData.whoami, {})).toEqual(first);
  });

  it('refuses a service that it has no credentials for', async () => {
    await expect(suite.request(operation(companyData.whoami), { service: 'stranger' }, {})).rejects.toMatchObject({
      key: 'gateway.client_unknown',
      message: expect.stringContaining('no credentials'),
    });
  });

  it('lets an internal service call it only for the services that it may read', async () => {
    const other = await world.internalService({ service: 'another' });

    await expect(other.request(companyData.whoami, {})).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden' });
  });

  it("returns platform.out_of_order within the caller's timeout while the region is out of order @spec D1-7", async () => {
    await switches({ out_of_order: true });
    await eventually(() =>
      ask(2000).then(
        () => undefined,
        ({ key }: { key: string }) => (key === 'platform.out_of_order' ? key : undefined),
      ),
    );
    await switches({ out_of_order: false });

    expect(await eventually(() => ask(2000).catch(() => undefined))).toMatchObject({ service_id: 'ser_demo_shop' });
  });

  it("reads persons' public keys and the registry for every internal service", async () => {
    const ana = () => internal.request(registry.readPublicKey, { params: { shareCode: 'ANA' } });

    expect(await ana()).toEqual(await ana());
    expect(await internal.request(registry.listFieldTypes, {})).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'email' })]),
    );
  });

  it('serves authorized callers over HTTP', async () => {
    const { url, token } = world.gatewayHttp;
    const request = httpRequest(`${url}/v1/shop/whoami`, { headers: { authorization: `Bearer ${token}` }, agent: false }).end();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];

    expect(JSON.parse(await text(answer))).toMatchObject({ service_id: 'ser_demo_shop' });
  });

  it('follows its company to another region', async () => {
    const { acme } = world;
    await acme.signsIn();
    await acme.asks(account.migrateRegion, { body: { password: acme.password, region: 'us' } });
    await eventually(async () => {
      await world.passes({ seconds: 1 });
      const there = await acme.asks(account.readProfile, {}, { at: world.regionUrl('us') }).catch(() => undefined);
      return there && there.moving_to === null ? there : undefined;
    });

    expect(await internal.request(companyData.whoami, {})).toEqual({ company_user_id: acme.user_id, service_id: 'ser_demo_shop' });
  });
});

describe("gateway with the platform's rate limits @spec D1-5.4", () => {
  let world: World;
  let telemetry: ReturnType<typeof collectTelemetry>;
  beforeAll(async () => {
    telemetry = collectTelemetry();
    world = await World.open({ units: ['front-door', 'region-eu', 'gateway'], limits: 'real' });
  });
  afterAll(() => world?.close());

  it('waits and retries when other callers have emptied the bucket', async () => {
    const suite = await world.operator('suite');
    const { access_token } = await world.shop.getsToken();
    const directly = () => world.stranger.asks(companyData.whoami, {}, { at: world.regionUrl('eu'), token: access_token });
    await Promise.all(Array.from({ length: RATE_LIMITS.data.burst }, directly));
    await expect(directly()).rejects.toMatchObject({ key: 'rate_limit.exceeded', retryAfter: 1 });

    const startedAt = performance.now();
    const pending = suite.request(operation(companyData.whoami), { service: 'shop' }, {}, { timeout: 60_000 });
    await eventually(async () =>
      (await telemetry.measured()).find(({ name, value }) => name === 'codase.gateway.waits' && Number(value) > 0),
    );
    await world.passes({ seconds: 10 });

    expect(await pending).toMatchObject({ service_id: 'ser_demo_shop' });
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  it('counts the gateways that share the limits', async () => {
    const counted = async () => (await telemetry.measured()).find(({ name }) => name === 'codase.gateway.replicas')?.value;
    await comesTrue(async () => expect(await counted()).toBe(1));
    await world.starts('gateway', { PORT: '0', OPS_PORT: '0' });

    await comesTrue(async () => expect(await counted()).toBe(2));
  });
});
