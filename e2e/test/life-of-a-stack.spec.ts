import { companyData, STATUS } from '@codase/contracts';
import type { CodaseClient } from '@codase/client';
import { eventually, World } from '@codase/testing';
import { request } from 'undici';

/**
 * The services that these tests kill, stop or read the log of. npm-start.spec.ts checks that every service runs in a process of its own.
 */
const APART = ['front-door', 'region-eu', 'region-us', 'gateway'] as const;

/** The whole stack. The services of both planes that talk to each other run in processes of their own. */
describe('a running stack', () => {
  let world: World;
  let internal: CodaseClient;
  beforeAll(async () => {
    world = await World.open({ processes: APART });
    internal = await world.internalService();
  });
  afterAll(() => world?.close());

  /** The bus does not report that nobody is there to answer, so a short timeout lets a lost request be repeated soon. */
  const whoami = () => internal.request(companyData.whoami, {}, { timeoutMs: 2000 });
  const answered = <T>(work: () => Promise<T>): Promise<T> => eventually(() => work().catch(() => undefined));

  it('is ready in every service', async () => {
    for (const unit of [
      'front-door',
      'region-eu',
      'region-us',
      'delivery',
      'forwarder',
      'gateway',
      'feed-consumer',
      'decryptor',
      'flows',
      'twofa',
    ] as const) {
      const { statusCode, body } = await request(`${world.opsUrl(unit)}/readyz`);
      expect([unit, statusCode, await body.json()]).toEqual([unit, 200, expect.objectContaining({ ready: true })]);
    }
    const operator = await world.operator('suite');
    expect(await operator.request(STATUS, { name: 'decryptor' }, {})).toMatchObject({ ready: true, checks: { nats: 'ok' } });
  });

  it('exposes metrics for Prometheus', async () => {
    await whoami();

    const metrics = await (await request(`${world.opsUrl('gateway')}/metrics`)).body.text();
    expect(metrics).toMatch(/codase_gateway_token_renewals_total\{[^}]*codase_service="shop"[^}]*\} 1/);
    expect(await (await request(`${world.opsUrl('region-eu')}/metrics`)).body.text()).toContain('http_route="/api/company-data/whoami"');
  });

  it('advances the clock of every process at once', async () => {
    const { access_token, api_url } = await world.shop.getsToken();
    await world.passes({ hours: 2 });

    await expect(world.shop.asks(companyData.whoami, {}, { at: api_url!, token: access_token })).rejects.toMatchObject({
      key: 'auth.token_invalid',
    });
    expect(await whoami()).toMatchObject({ service_id: world.shop.service_id });
  });

  it('recovers after a service was killed and restarted', async () => {
    await world.kill('gateway');
    await expect(whoami()).rejects.toMatchObject({ key: 'service.unavailable' });

    await world.restart('gateway');
    expect(await answered(whoami)).toMatchObject({ service_id: world.shop.service_id });
  });

  it('recovers after the bus was killed and restarted', async () => {
    await world.restartBus();

    expect(await answered(whoami)).toMatchObject({ service_id: world.shop.service_id });
    expect(await answered(() => world.shop.asksWhoami())).toMatchObject({ service_id: world.shop.service_id });
  });

  it('stops its services in order on request', async () => {
    expect(await world.stop('gateway')).toBe(0);
    expect(await world.stop('region-us')).toBe(0);
    expect(world.logOf('gateway')).toContain('"message":"leaving"');
  });

  it('writes no token and no secret to any log', async () => {
    const { access_token } = await world.shop.getsToken();
    const logs = (['front-door', 'region-eu', 'gateway'] as const).map((unit) => world.logOf(unit)).join('');

    expect(logs).toContain('"message":"ready"');
    expect(logs).not.toContain(world.shop.client_secret);
    expect(logs).not.toContain(access_token.split('.')[0]);
  });
});
