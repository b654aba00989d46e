import { World } from '@codase/testing';
import { asksFor, readsConnection, refused, type NewRow } from './connections-world.ts';

const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };

/** The front door knows where companies live. A region finds its own connections without it. */
describe('connections while the front door is down @gap D1-1', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ processes: [], units: ['front-door', 'region-eu', 'region-us'] });
    await asksFor(world.acme, world.shop.service_id!, [MAIL]);
    await asksFor(world.bolt, world.boltShop.service_id!, [MAIL]);
    await world.shop.getsToken();
  });
  afterAll(() => world?.close());

  it('are changed in their own region, and refused with 503 in another region', async () => {
    const ana = world.person('ANA');
    const atShop = await ana.connections.connects('ACME/SHOP', { mail: 'ana@one.example' });
    const atDesk = await ana.connections.connects('BOLT/DESK', { mail: 'ana@one.example' });

    await world.stop('front-door');
    await ana.connections.shares(atShop, { mail: 'ana@two.example' });
    await expect(ana.connections.shares(atDesk, { mail: 'ana@two.example' })).rejects.toEqual(refused('service.unavailable', 503));

    const { values } = await readsConnection(world.shop, atShop.id);
    expect(await world.shop.opens(values['mail']!.value!)).toBe('ana@two.example');
  });
});
