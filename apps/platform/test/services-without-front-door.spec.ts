import { companyData, serviceClient, services, webhooks } from '@cds/contracts';
import { World } from '@cds/testing';

/** The front door keeps the clients, so a region needs it to delete a service: without it nothing may be half deleted. */
describe('a service that is deleted while the front door is away @spec D1-5.8', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ processes: 'many', units: ['front-door', 'region-eu'] });
  });
  afterAll(() => world?.close());

  it('stands with all it has, and goes once the front door is back', async () => {
    const { automation, shop } = world;
    const params = { id: shop.service_id! };
    const { hmac_secret_once } = await automation.asks(webhooks.createWebhook, { params, body: { url: 'https://hooks.acme.example' } });
    await shop.getsToken();

    await world.kill('front-door');
    await expect(automation.asks(services.deleteService, { params })).rejects.toMatchObject({ key: 'service.unavailable', status: 503 });
    expect(await shop.asks(companyData.whoami, {})).toMatchObject({ service_id: params.id });
    expect((await automation.asks(webhooks.listWebhooks, { params })).items).toHaveLength(1);

    await world.restart('front-door');
    await automation.asks(services.deleteService, { params });
    await expect(automation.asks(serviceClient.readServiceClient, { params })).rejects.toMatchObject({ key: 'services.not_found' });
    await expect(shop.getsToken()).rejects.toMatchObject({ key: 'oauth.invalid_client' });
    expect(world.logOf('region-eu')).not.toContain(hmac_secret_once);
  });
});
