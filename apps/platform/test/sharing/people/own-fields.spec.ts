import { contactData, registry, services } from '@codase/contracts';
import { World, type Backend, type OwnConnection, type Person, type User } from '@codase/testing';
import { asksFor, hearsOf, readsConnection, refused, type NewRow } from '../connections/connections-world.ts';

const NAME: NewRow = { slug: 'name', label: 'Your name', type: 'text' };
const NOTE: NewRow = { slug: 'note', label: 'A note', type: 'text' };

describe("deletion of a user's own field @spec D1-2.5 @spec D1-6.1", () => {
  let world: World;
  let [shop, desk]: Backend[] = [];
  let ben: Person;
  let [atShop, atDesk]: OwnConnection[] = [];
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    [shop, desk, ben] = [world.shop, world.boltShop, world.person('BEN')];
    await asksFor(world.acme, shop.service_id!, [NAME, NOTE]);
    await asksFor(world.bolt, desk.service_id!, [NAME, NOTE]);
    atShop = await ben.connections.connects('ACME/SHOP');
    atDesk = await ben.connections.connects('BOLT/DESK');
  });
  afterAll(() => world?.close());

  const at = { params: { slug: 'nickname' } };
  const makes = (who: User, type = 'text') => who.asks(registry.putContactField, { ...at, body: { label: 'Nickname', type } });
  const deletes = (who: User) => who.asks(registry.deleteContactField, at);
  const slugs = async () => (await ben.asks(contactData.listContactData, {})).items.map(({ slug }) => slug);
  const hearBoth = async () => [await hearsOf(shop!), await hearsOf(desk!)];

  it('deletes its value and live copies, with events to the services of both regions', async () => {
    await makes(ben);
    await ben.fields.edits('nickname', 'Benny');
    for (const connection of [atShop!, atDesk!]) {
      await ben.connections.shares(connection, {
        name: { text: 'Benny', from: 'nickname' },
        note: { text: 'Benny, once', from: 'nickname', live: false },
      });
    }
    await hearBoth();
    await deletes(ben);

    expect(await hearBoth()).toEqual([['field_deleted name'], ['field_deleted name']]);
    expect(await slugs()).not.toContain('nickname');
    expect(Object.keys((await readsConnection(shop!, atShop!.id)).values)).toEqual(['note']);
    await expect(deletes(ben)).rejects.toEqual(refused('contact_fields.not_found', 404));
  });

  it('frees the slug for a field of another type, which no slot follows yet @gap D1-2.5', async () => {
    await makes(ben, 'creditcard');
    await ben.fields.edits('nickname', '{"number":"4111111111111111"}');

    expect(await hearBoth()).toEqual([[], []]);
    await expect(ben.connections.shares(atShop!, { name: { text: '4111111111111111', from: 'nickname' } })).rejects.toEqual(
      refused('company_connections.values_invalid', 400),
    );
    await deletes(ben);
  });

  it('informs a service that follows the field even if it has no value at home', async () => {
    await makes(ben);
    await ben.connections.shares(atShop!, { name: { text: 'Benny', from: 'nickname' } });
    await hearBoth();
    await deletes(ben);

    expect(await hearBoth()).toEqual([['field_deleted name'], []]);
  });

  it('leaves no value and no live copy behind when edits and shares happen concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      await makes(ben);
      await Promise.allSettled([
        ben.fields.edits('nickname', 'Benny'),
        ben.connections.shares(atShop!, { name: { text: 'Benny', from: 'nickname' } }),
        deletes(ben),
      ]);
      await deletes(ben).catch(() => undefined);

      expect(await slugs()).not.toContain('nickname');
      expect((await readsConnection(shop!, atShop!.id)).values).not.toHaveProperty('name');
    }
  });

  it("removes the field from what the company's services show, with an entry in their logs @gap D1-5.8", async () => {
    const [acme, params] = [world.acme, { id: shop!.service_id! }];
    await makes(acme);
    await acme.asks(services.changeShareConfig, { params, body: { audience: 'both', fields: ['email', 'nickname'], photo_id: null } });
    await world.passes({ seconds: 1 });
    await deletes(acme);

    expect(await acme.asks(services.readShareConfig, { params })).toMatchObject({ fields: ['email'] });
    const { items } = await acme.asks(services.readServiceLogs, { params, query: { limit: 1 } });
    expect(items).toEqual([expect.objectContaining({ kind: 'share_config_changed' })]);
  });
});
