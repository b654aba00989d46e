import { companyData, serviceClient, services, webhooks, type Refusal } from '@codase/contracts';
import { sql } from '@codase/runtime/db';
import { eventually, World } from '@codase/testing';
import { PlatformInternals } from '../../support/platform-internals.ts';

/** The front door keeps the clients, so a region needs it to delete a service. While it is away, nothing may be half deleted. */
describe('the deletion of a service @spec D1-5.8', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ processes: ['region-eu'], units: ['front-door', 'region-eu'] });
  });
  afterAll(() => world?.close());

  it("completes together with its client's after the region was killed halfway", async () => {
    const { acme } = world;
    const [desk] = (await acme.asks(services.listServices, { query: { limit: 1 } })).items;
    const { id } = await acme.asks(services.createService, {
      body: {
        name: 'Club',
        admin_email: 'club@acme.example',
        public_key: acme.public_key,
        encrypted_private_key: { ...desk!.encrypted_private_key, iter: 100_000 },
      },
    });
    const made = await acme.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
    const backend = world.backendOf(acme, { ...made, service_id: id });
    const internals = await PlatformInternals.open(world, ['front_door']);

    const release = await internals.hold('front_door', sql`select from account where user_id = ${acme.user_id} for update`);
    const cut = acme.asks(services.deleteService, { params: { id } }).then(
      () => 'answered',
      () => 'cut off',
    );
    await internals.someoneWaits('front_door');
    await world.kill('region-eu');
    expect(await cut).toBe('cut off');
    await release();

    await world.restart('region-eu');
    await world.passes({ minutes: 1 });
    const isGone = () =>
      acme.asks(services.readService, { params: { id } }).then(
        () => undefined,
        ({ key }: Refusal) => (key === 'services.not_found' ? true : undefined),
      );
    await eventually(isGone);
    await expect(backend.getsToken()).rejects.toMatchObject({ key: 'oauth.invalid_client' });
  });

  it('is refused and changes nothing while the front door is down, and succeeds once it is back', async () => {
    const { automation, shop } = world;
    const params = { id: shop.service_id! };
    const { hmac_secret_once } = await automation.asks(webhooks.createWebhook, { params, body: { url: 'https://hooks.acme.example' } });
    await shop.getsToken();

    await world.stop('front-door');
    await expect(automation.asks(services.deleteService, { params })).rejects.toMatchObject({ key: 'service.unavailable', status: 503 });
    expect(await shop.asks(companyData.whoami, {})).toMatchObject({ service_id: params.id });
    expect((await automation.asks(webhooks.listWebhooks, { params })).items).toHaveLength(1);

    await world.starts('front-door');
    await automation.asks(services.deleteService, { params });
    await expect(automation.asks(serviceClient.readServiceClient, { params })).rejects.toMatchObject({ key: 'services.not_found' });
    await expect(shop.getsToken()).rejects.toMatchObject({ key: 'oauth.invalid_client' });
    expect(world.logOf('region-eu')).not.toContain(hmac_secret_once);
  });
});
