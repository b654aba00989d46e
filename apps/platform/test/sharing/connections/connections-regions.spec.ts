import { CHUNK_SUBJECTS, connections, contactData, customer, OPERATOR, SEALED_CHARS } from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import { comesTrue, World, type Backend, type OwnConnection, type Person } from '@codase/testing';
import { ArrivedChunks } from '../../../src/foundation/peers/index.ts';
import { PlatformInternals } from '../../support/platform-internals.ts';
import { asksFor, hears, hearsOf, readsConnection, refused, type NewRow } from './connections-world.ts';

const NAME: NewRow = { slug: 'name', label: 'Your name', type: 'text', mandatory: true };
const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };
const SCAN: NewRow = { slug: 'scan', label: 'A scan', type: 'legal_document' };

describe('a person connected to companies of two regions @spec D1-6.1', () => {
  let world: World;
  let internals: PlatformInternals;
  let shop: Backend;
  let desk: Backend;
  let ben: Person;
  let atShop: OwnConnection;
  let atDesk: OwnConnection;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    internals = await PlatformInternals.open(world);
    [shop, desk, ben] = [world.shop, world.boltShop, world.person('BEN')];
    await asksFor(world.acme, shop.service_id!, [NAME, MAIL, SCAN]);
    await asksFor(world.bolt, desk.service_id!, [NAME, MAIL]);
    await ben.fields.edits('email', 'ben@one.example');
  });
  afterAll(() => world?.close());

  const values = { name: 'Ben', mail: { text: 'ben@one.example', from: 'email' } };
  const opened = async (backend: Backend, { id }: OwnConnection) =>
    backend.opens((await readsConnection(backend, id)).values['mail']!.value!);

  it('connects to both from the home region', async () => {
    atShop = await ben.connections.connects('ACME/SHOP', values);
    await world.passes({ seconds: 1 });
    atDesk = await ben.connections.connects('BOLT/DESK', values);

    expect(await hears(shop)).toEqual([
      expect.objectContaining({ event: 'connection_created', person_user_id: ben.user_id, share_code: 'BEN' }),
    ]);
    expect(await hearsOf(desk)).toEqual(['connection_created']);
    expect(await opened(shop, atShop)).toBe('ben@one.example');
    await expect(ben.connections.connects('ACME/SHOP', values)).rejects.toEqual(refused('company_connections.exists', 409));
  });

  it('lists both in one list, page by page', async () => {
    expect(await ben.asks(customer.listCustomerConnections, { query: {} })).toEqual({ items: [atShop, atDesk], next_cursor: null });

    const first = await ben.asks(customer.listCustomerConnections, { query: { limit: 1 } });
    expect(first.items).toEqual([atShop]);
    const second = await ben.asks(customer.listCustomerConnections, { query: { limit: 1, cursor: first.next_cursor! } });
    expect(second).toEqual({ items: [atDesk], next_cursor: null });
  });

  it('edits a field once, with an event to both services', async () => {
    await ben.fields.edits('email', 'ben@two.example');

    expect(await hearsOf(shop)).toEqual(['field_updated mail']);
    expect(await hearsOf(desk)).toEqual(['field_updated mail']);
    expect([await opened(shop, atShop), await opened(desk, atDesk)]).toEqual(['ben@two.example', 'ben@two.example']);
  });

  it('stores no edit at home when a copy for the other region is missing', async () => {
    const value = await ben.sealsFor(ben, 'ben@three.example');
    const copies = [{ connection_id: atDesk.id, slug: 'mail', value: await ben.sealsFor(desk, 'ben@three.example') }];
    await expect(
      ben.asks(contactData.putContactData, { params: { slug: 'email' }, body: { value, is_private: true, copies } }),
    ).rejects.toEqual(refused('request.invalid', 400));

    expect(await hearsOf(desk)).toEqual([]);
    expect(await opened(desk, atDesk)).toBe('ben@two.example');
  });

  it('stores no edit in the other region when the edit is refused at home', async () => {
    const value = await ben.sealsFor(ben, 'ben@three.example');
    const copies = [
      { connection_id: atShop.id, slug: 'mail', value: await ben.sealsFor(shop, 'ben@three.example') },
      { connection_id: atDesk.id, slug: 'mail', value: await ben.sealsFor(desk, 'x'.repeat(SEALED_CHARS)) },
    ];
    await expect(
      ben.asks(contactData.putContactData, { params: { slug: 'email' }, body: { value, is_private: true, copies } }),
    ).rejects.toEqual(refused('documents.too_large', 400));

    expect(await hearsOf(shop)).toEqual([]);
    expect(await opened(shop, atShop)).toBe('ben@two.example');
  });

  it('cannot delete a field without a value, and what was shared stays', async () => {
    await ben.connections.shares(atShop, { name: { text: 'Ben', from: 'first_name' } });
    await hears(shop);
    await expect(ben.fields.deletes('first_name')).rejects.toEqual(refused('contact_fields.not_found', 404));

    expect(await hearsOf(shop)).toEqual([]);
    expect((await readsConnection(shop, atShop.id)).values).toHaveProperty('name');
  });

  it('shares and edits a long file across regions in chunks', async () => {
    const long = (letter: string) => letter.repeat(3_000_000);
    const stored = async () => {
      const { fields } = await readsConnection(shop, atShop.id);
      const { service_field_id: serviceFieldId } = fields.find(({ slug }) => slug === 'scan')!;
      const file = await shop.asks(connections.readSlotFile, { params: { connectionId: atShop.id, serviceFieldId } });
      return shop.opens((file as { value: string }).value);
    };
    await ben.connections.shares(atShop, { scan: { text: long('a'), from: 'passport' } });
    expect((await stored()) === long('a')).toBe(true);
    await ben.fields.edits('passport', long('b'));
    expect((await stored()) === long('b')).toBe(true);

    expect(await hearsOf(shop)).toEqual(['consent_accepted scan', 'field_updated scan']);
    expect(await many(internals.database('region_eu'), sql`select from parcel_piece`)).toEqual([]);
  });

  it('refuses a request with missing chunks, and abandoned chunks are deleted', async () => {
    const operator = await world.operator('platform');
    const chunked = { transfer_id: 'transfer_1', pieces: 2, operation: 'change' } as const;
    await operator.request(CHUNK_SUBJECTS.piece, { region: 'eu' }, { transfer_id: chunked.transfer_id, position: 0, piece: '{' });
    await expect(operator.request(CHUNK_SUBJECTS.open, { region: 'eu' }, chunked)).rejects.toEqual(refused('service.unavailable', 503));

    const [db, tomorrow] = [internals.database('region_eu'), new Date(Date.now() + 86_400_000)];
    const removes = () => new ArrivedChunks().removeAbandoned(db, tomorrow, 20);
    expect([await removes(), await removes()]).toEqual([1, 0]);
  });

  it('cannot change anything while writes are paused in the other region @spec D1-7', async () => {
    const operator = await world.operator('platform');
    const pauses = (writes_paused: boolean) => operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused });
    await pauses(true);
    await comesTrue(() => expect(ben.connections.drops(atShop, 'mail')).rejects.toEqual(refused('db.writes_paused', 503)));
    const before = await ben.asks(contactData.listContactData, {});
    await expect(ben.fields.edits('email', 'ben@three.example')).rejects.toEqual(refused('db.writes_paused', 503));
    expect(await ben.asks(contactData.listContactData, {})).toEqual(before);
    expect(await ben.asks(customer.readCustomerConnection, { params: { connectionId: atShop.id } })).toMatchObject({ id: atShop.id });
    await pauses(false);
    await comesTrue(() => ben.connections.shares(atShop, { mail: { text: 'ben@two.example', from: 'email' } }));
    await hears(shop);
  });

  it('changes, declines and disconnects in the other region as at home', async () => {
    await ben.connections.drops(atShop, 'mail');
    await ben.connections.declines(atShop, 'mail');
    expect(await hearsOf(shop)).toEqual(['field_deleted mail', 'consent_declined mail']);

    await ben.connections.disconnects(atShop);
    expect(await hearsOf(shop)).toEqual(['connection_deleted']);
    await expect(ben.asks(customer.readCustomerConnection, { params: { connectionId: atShop.id } })).rejects.toEqual(
      refused('company_data.connection_not_found', 404),
    );
  });

  it('does not list a connection that the service in the other region ended', async () => {
    const again = await ben.connections.connects('ACME/SHOP', { name: 'Ben' });
    await hears(desk);
    await shop.asks(connections.endConnection, { params: { connectionId: again.id } });
    expect((await ben.asks(customer.listCustomerConnections, { query: {} })).items.map(({ id }) => id)).toEqual([atDesk.id]);
  });

  it('causes one request to the front door for a list, also after connections to many companies', async () => {
    const notes = async () =>
      (await many(internals.database('region_us'), sql`select from customer_company where customer_user_id = ${ben.user_id}`)).length;
    const before = await notes();
    await execute(
      internals.database('region_us'),
      sql`
      insert into customer_company (customer_user_id, company_user_id) select ${ben.user_id}, 'usr_gone' || n
        from generate_series(1, 50) n`,
    );
    const again = await ben.connections.connects('ACME/SHOP', { name: 'Ben' });
    const requests: string[] = [];
    const { connection } = await world.busAs('platform-front-door');
    const overheard = connection.subscribe('codase.front-door.v1.us.*', { callback: (_, { subject }) => void requests.push(subject) });
    await connection.flush();

    expect((await ben.asks(customer.listCustomerConnections, { query: {} })).items.map(({ id }) => id).sort()).toEqual(
      [atDesk.id, again.id].sort(),
    );
    await connection.flush(); // everything that was published before has arrived by then
    expect(requests.filter((subject) => subject.includes('home'))).toEqual(['codase.front-door.v1.us.homes_of']);

    overheard.unsubscribe();
    await expect(ben.asks(customer.connect, { body: { code: 'ACME/NOSHOP', values: [] } })).rejects.toEqual(
      refused('company_connections.service_not_found', 404),
    );
    await ben.connections.disconnects(again);
    expect(await notes()).toBe(before + 50 - 1);
  });

  it('may be a company that connects with its automation client @spec D1-5.8', async () => {
    const { automation } = world;
    const card = await automation.asks(customer.readServiceCard, { params: { companyCode: 'BOLT', serviceCode: 'DESK' } });
    const body = { code: 'BOLT/DESK', values: [{ slug: 'name', value: await automation.sealsFor(card, 'Acme Ltd') }] };
    const acmes = await automation.asks(customer.connect, { body });

    expect(await hears(desk)).toEqual([
      expect.objectContaining({ event: 'connection_created', customer_type: 'company', share_code: 'ACME' }),
    ]);
    expect(await readsConnection(desk, acmes.id)).toMatchObject({ customer_type: 'company', display_name: 'Acme' });
  });

  it('is listed to the service, page by page', async () => {
    const first = await desk.asks(connections.listConnections, { query: { limit: 1 } });
    const second = await desk.asks(connections.listConnections, { query: { limit: 1, cursor: first.next_cursor! } });

    expect([...first.items, ...second.items].map(({ share_code }) => share_code).sort()).toEqual(['ACME', 'BEN']);
    expect(second.next_cursor).toBeNull();
  });
});
