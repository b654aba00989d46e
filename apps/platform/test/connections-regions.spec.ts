import { setTimeout as pause } from 'node:timers/promises';
import { connections, contactData, customer, OPERATOR } from '@cds/contracts';
import { World, type Backend, type OwnConnection, type Person } from '@cds/testing';
import { asksFor, hears, hearsOf, readsConnection, refused, type NewRow } from './connections-world.ts';

const NAME: NewRow = { slug: 'name', label: 'Your name', type: 'text', mandatory: true };
const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };
const SCAN: NewRow = { slug: 'scan', label: 'A scan', type: 'document' };

/** Repeats until it holds: a region learns of its mode a moment later. */
async function eventually(holds: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 8; tries++) {
    if (await holds().then(() => true, () => false)) return;
    await pause(10 * 2 ** tries);
  }
  await holds();
}

describe('a person of one region and companies of both @spec D1-6.1', () => {
  let world: World;
  let shop: Backend;
  let desk: Backend;
  let ben: Person;
  let atShop: OwnConnection;
  let atDesk: OwnConnection;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    [shop, desk, ben] = [world.shop, world.boltShop, world.person('BEN')];
    await asksFor(world.acme, shop.service_id!, [NAME, MAIL, SCAN]);
    await asksFor(world.bolt, desk.service_id!, [NAME, MAIL]);
    await ben.edits('email', 'ben@one.example');
  });
  afterAll(() => world?.close());

  const values = { name: 'Ben', mail: { text: 'ben@one.example', from: 'email' } };
  const opened = async (backend: Backend, { id }: OwnConnection) => backend.opens((await readsConnection(backend, id)).values['mail']!.value!);

  it('connects to both from home', async () => {
    atShop = await ben.connects('ACME/SHOP', values);
    await world.passes({ seconds: 1 });
    atDesk = await ben.connects('BOLT/DESK', values);

    expect(await hears(shop)).toEqual([expect.objectContaining({ event: 'connection_created', person_user_id: ben.user_id, share_code: 'BEN' })]);
    expect(await hearsOf(desk)).toEqual(['connection_created']);
    expect(await opened(shop, atShop)).toBe('ben@one.example');
    await expect(ben.connects('ACME/SHOP', values)).rejects.toEqual(refused('company_connections.exists', 409));
  });

  it('lists both in one list, page by page', async () => {
    expect(await ben.asks(customer.listCustomerConnections, { query: {} })).toEqual({ items: [atShop, atDesk], next_cursor: null });

    const first = await ben.asks(customer.listCustomerConnections, { query: { limit: 1 } });
    expect(first.items).toEqual([atShop]);
    const second = await ben.asks(customer.listCustomerConnections, { query: { limit: 1, cursor: first.next_cursor! } });
    expect(second).toEqual({ items: [atDesk], next_cursor: null });
  });

  it('edits once, and both services are told', async () => {
    await ben.edits('email', 'ben@two.example');

    expect(await hearsOf(shop)).toEqual(['field_updated mail']);
    expect(await hearsOf(desk)).toEqual(['field_updated mail']);
    expect([await opened(shop, atShop), await opened(desk, atDesk)]).toEqual(['ben@two.example', 'ben@two.example']);
  });

  it('keeps nothing at home when a copy elsewhere is missing', async () => {
    const value = await ben.sealsFor(ben, 'ben@three.example');
    const copies = [{ connection_id: atDesk.id, slug: 'mail', value: await ben.sealsFor(desk, 'ben@three.example') }];
    await expect(ben.asks(contactData.putContactData, { params: { slug: 'email' }, body: { value, is_private: true, copies } })).rejects.toEqual(refused('request.invalid', 400));

    expect(await hearsOf(desk)).toEqual([]);
    expect(await opened(desk, atDesk)).toBe('ben@two.example');
  });

  it('cannot send much at once to the other region', async () => {
    const value = await ben.sealsFor(shop, 'x'.repeat(1024 * 1024));
    await expect(ben.asks(customer.changeCustomerConnection, { params: { connectionId: atShop.id }, body: { values: [{ slug: 'scan', value }] } })).rejects.toEqual(refused('documents.too_large', 400));
  });

  it('changes nothing over there while saving is paused in that region @spec D1-7', async () => {
    const operator = await world.operator('platform');
    const pauses = (writes_paused: boolean) => operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused });
    await pauses(true);
    await eventually(() => expect(ben.drops(atShop, 'mail')).rejects.toEqual(refused('db.writes_paused', 503)));
    expect(await ben.asks(customer.readCustomerConnection, { params: { connectionId: atShop.id } })).toMatchObject({ id: atShop.id });
    await pauses(false);
    await eventually(() => ben.shares(atShop, { mail: { text: 'ben@two.example', from: 'email' } }));
    await hears(shop);
  });

  it('changes, declines and disconnects over there as at home', async () => {
    await ben.drops(atShop, 'mail');
    await ben.declines(atShop, 'mail');
    expect(await hearsOf(shop)).toEqual(['field_deleted mail', 'consent_declined mail']);

    await ben.disconnects(atShop);
    expect(await hearsOf(shop)).toEqual(['connection_deleted']);
    await expect(ben.asks(customer.readCustomerConnection, { params: { connectionId: atShop.id } })).rejects.toEqual(refused('company_data.connection_not_found', 404));
  });

  it('finds it no more when the service over there has ended it', async () => {
    const again = await ben.connects('ACME/SHOP', { name: 'Ben' });
    await hears(desk);
    await shop.asks(connections.endConnection, { params: { connectionId: again.id } });
    expect((await ben.asks(customer.listCustomerConnections, { query: {} })).items.map(({ id }) => id)).toEqual([atDesk.id]);
  });

  it('is no different for a company that is a customer, by its automation @spec D1-5.8', async () => {
    const { automation } = world;
    const card = await automation.asks(customer.readServiceCard, { params: { companyCode: 'BOLT', serviceCode: 'DESK' } });
    const body = { code: 'BOLT/DESK', values: [{ slug: 'name', value: await automation.sealsFor(card, 'Acme Ltd') }] };
    const acmes = await automation.asks(customer.connect, { body });

    expect(await hears(desk)).toEqual([expect.objectContaining({ event: 'connection_created', customer_type: 'company', share_code: 'ACME' })]);
    expect(await readsConnection(desk, acmes.id)).toMatchObject({ customer_type: 'company', display_name: 'Acme' });
  });

  it('stands in the list of a service, page by page', async () => {
    const first = await desk.asks(connections.listConnections, { query: { limit: 1 } });
    const second = await desk.asks(connections.listConnections, { query: { limit: 1, cursor: first.next_cursor! } });

    expect([...first.items, ...second.items].map(({ share_code }) => share_code).sort()).toEqual(['ACME', 'BEN']);
    expect(second.next_cursor).toBeNull();
  });
});
