import { World } from '@codase/testing';

describe('a value between a person and a service @spec D1-2.3', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: [] });
  });
  afterAll(() => world?.close());

  it('is sealed on the phone and opens only with the service key', async () => {
    const { shop } = world;
    const ana = world.person('ANA');

    const wrapper = await ana.sealsFor(shop, 'Storgatan 1, Lund');

    expect(wrapper).not.toContain('Storgatan');
    expect(await shop.opens(wrapper)).toBe('Storgatan 1, Lund');
    await expect(ana.opens(wrapper)).rejects.toMatchObject({ name: 'CryptoRefusal' });
  });

  it("is sealed by the service and opens with the person's key", async () => {
    const ben = world.person('BEN');

    expect(await ben.opens(await world.shop.sealsFor(ben, 'your parcel is here'))).toBe('your parcel is here');
  });
});
