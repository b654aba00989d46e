import { companyData } from '@codase/contracts';
import { World } from '@codase/testing';

describe('a service client @spec D1-4.1 @spec D1-4.2 @spec D1-5.2 @spec D1-5.6', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open();
  });
  afterAll(() => world?.close());

  it('gets a token and its api_url at the front door, and calls whoami there', async () => {
    const { shop } = world;

    const token = await shop.getsToken();
    expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 3600, api_url: world.regionUrl('eu') });

    const answer = await shop.asks(companyData.whoami, {}, { at: token.api_url!, token: token.access_token });
    expect(answer).toEqual({ company_user_id: shop.company_user_id, service_id: shop.service_id });
  });

  it('is refused with 421 at the front door and at another region, with the base to use', async () => {
    const { shop } = world;
    const home = { status: 421, key: 'region.rebase_required', extras: { api_url: world.regionUrl('eu') } };

    await expect(shop.asksWhoami({ at: world.frontDoorUrl })).rejects.toMatchObject(home);
    await expect(shop.asksWhoami({ at: world.regionUrl('us') })).rejects.toMatchObject(home);
  });

  it('gets the same answer as an internal service that calls the gateway over the bus', async () => {
    const { shop } = world;
    const internal = await world.internalService();

    expect(await internal.request(companyData.whoami, {})).toEqual(await shop.asksWhoami());
  });
});
