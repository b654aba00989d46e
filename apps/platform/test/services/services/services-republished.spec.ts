import { connections, contactData, customer, SHARED_ONCE_FILE_DAYS } from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import { World, type Backend, type Company, type OwnConnection, type Person } from '@codase/testing';
import { PlatformInternals } from '../../support/platform-internals.ts';
import { asksFor, envelope, hears, hearsOf, readsConnection, refused, type NewRow } from '../../sharing/connections/connections-world.ts';

const NAME: NewRow = { slug: 'name', label: 'Your name', type: 'text' };
const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };
const IDENTITY: NewRow = { slug: 'identity', label: 'Who you are', type: 'passport' };

const PASSPORT = { pages: [envelope('image/jpeg', 'page one')], document_number: 'X1', expiry_date: '2030-01-01', issuing_country: 'SE' };

describe('republished request fields of a service with customers @spec D1-2.6 @spec D1-6.1', () => {
  let world: World;
  let internals: PlatformInternals;
  let acme: Company;
  let shop: Backend;
  let ana: Person;
  let anas: OwnConnection;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    internals = await PlatformInternals.open(world);
    [acme, shop, ana] = [world.acme, world.shop, world.person('ANA')];
    await ana.fields.edits('first_name', 'Ana');
    await ana.fields.edits('email', 'ana@lind.example');
    await ana.asks(contactData.putContactData, { params: { slug: 'passport' }, body: { value: JSON.stringify(PASSPORT) } });
  });
  afterAll(() => world?.close());

  beforeEach(async () => {
    await asksFor(acme, shop.service_id!, [NAME, MAIL, IDENTITY]);
    anas = await ana.connections.connects('ACME/SHOP', {
      name: { text: 'Ana', from: 'first_name' },
      mail: { text: 'ana@lind.example', from: 'email' },
    });
    const identity = { slug: 'identity', value: JSON.stringify(PASSPORT), source_private: false, source_field: 'passport' };
    anas = await ana.asks(customer.changeCustomerConnection, { params: { connectionId: anas.id }, body: { values: [identity] } });
    await hears(shop);
  });
  afterEach(async () => {
    await ana.connections.disconnects(anas);
    await hears(shop);
  });

  const read = () => readsConnection(shop, anas.id);
  const slotOf = async (slug: string) => (await read()).fields.find((field) => field.slug === slug)!.service_field_id;
  const reads = () => ana.asks(customer.readCustomerConnection, { params: { connectionId: anas.id } });

  it.each<[string, NewRow]>([
    ['a file of another shape', { ...IDENTITY, type: 'photo' }],
    ['a text in place of a file', { ...IDENTITY, type: 'text' }],
    ['a parent of its type', { ...IDENTITY, type: 'legal_document' }],
  ])('request %s anew, and report the old answer as deleted @spec D1-2.5 @spec D1-2.8', async (_, identity) => {
    const serviceFieldId = await slotOf('identity');
    await asksFor(acme, shop.service_id!, [NAME, MAIL, identity]);

    expect(await hearsOf(shop)).toEqual(['field_deleted identity']);
    expect(Object.keys((await read()).values)).toEqual(['name', 'mail']);
    await expect(shop.asks(connections.readSlotFile, { params: { connectionId: anas.id, serviceFieldId } })).rejects.toEqual(
      refused('company_data.file_not_found', 404),
    );
    expect((await reads()).open_requests).toMatchObject([identity]);
  });

  it('accept answers of the new type, and follow them', async () => {
    await asksFor(acme, shop.service_id!, [NAME, { ...MAIL, type: 'text' }]);
    await ana.connections.shares(anas, { mail: { text: 'ana@lind.example', from: 'email' } });
    await ana.fields.edits('email', 'ana@new.example');

    expect(await hearsOf(shop)).toEqual(['field_deleted mail', 'field_deleted identity', 'consent_accepted mail', 'field_updated mail']);
  });

  it('report each live answer to a withdrawn row as deleted, but not a one-time answer', async () => {
    await ana.asks(customer.changeCustomerConnection, {
      params: { connectionId: anas.id },
      body: { values: [{ slug: 'mail', value: await ana.sealsFor(shop, 'once@lind.example'), live: false }] },
    });
    await hears(shop);
    await asksFor(acme, shop.service_id!, []);

    expect((await hearsOf(shop)).toSorted()).toEqual(['field_deleted identity', 'field_deleted name']);
    expect((await read()).values).toEqual({});
  });

  it('produce no events when the publication is refused', async () => {
    await expect(asksFor(acme, shop.service_id!, [{ ...MAIL, type: 'shoe_size' }])).rejects.toEqual(
      refused('services.request_field_invalid', 400),
    );

    expect(await hears(shop)).toEqual([]);
    expect(Object.keys((await read()).values)).toEqual(['name', 'mail', 'identity']);
  });

  it('withdraw a row only from customers who are no longer in its audience', async () => {
    const bolts = await world.bolt.connections.connects('ACME/SHOP', { mail: 'office@bolt.example' });
    await hears(shop);
    await asksFor(acme, shop.service_id!, [NAME, { ...MAIL, audience: 'company' }, IDENTITY]);

    expect(await hears(shop)).toMatchObject([{ event: 'field_deleted', slug: 'mail', person_user_id: ana.user_id }]);
    expect((await read()).values).not.toHaveProperty('mail');
    expect((await readsConnection(shop, bolts.id)).values).toHaveProperty('mail');
    await world.bolt.connections.disconnects(bolts);
  });

  it('keep a live answer as a snapshot when its row becomes one-time @gap D1-2.6', async () => {
    const { values: before } = await read();
    await asksFor(acme, shop.service_id!, [NAME, { ...MAIL, one_time: true }, { ...IDENTITY, one_time: true }]);
    await ana.fields.edits('email', 'ana@later.example');

    expect(await hears(shop)).toEqual([]);
    expect((await read()).values['mail']).toEqual({ ...before['mail'], live: false });
    expect((await reads()).values.find(({ slug }) => slug === 'mail')).toMatchObject({ live: false, source_field: null });
    const serviceFieldId = await slotOf('identity');
    await world.passes({ hours: 24 * SHARED_ONCE_FILE_DAYS });
    await Promise.all([shop, acme, ana].map((who) => who.getsToken()));
    await expect(shop.asks(connections.readSlotFile, { params: { connectionId: anas.id, serviceFieldId } })).rejects.toEqual(
      refused('company_data.file_expired', 410),
    );
  });

  it('report more deleted answers than one statement can handle', async () => {
    const eu = internals.database('region_eu');
    const company_user_id = acme.user_id;
    await execute(
      eu,
      sql`
      insert into connection (connection_id, company_user_id, service_id, customer_user_id, customer_type, display_name, share_code,
        public_key, connected_at)
      select 'conn_many_' || n, ${company_user_id}, ${shop.service_id}, 'usr_many_' || n, 'person', 'One of many', 'MANY' || n, '', now()
        from generate_series(1, 2500) n`,
    );
    await execute(
      eu,
      sql`
      insert into shared_value (shared_value_id, company_user_id, connection_id, service_field_id, value, live, source_private,
        verification, updated_at)
      select 'val_many_' || n, ${company_user_id}, 'conn_many_' || n, ${await slotOf('mail')}, '', true, true, '{}', now()
        from generate_series(1, 2500) n`,
    );
    await asksFor(acme, shop.service_id!, [NAME, IDENTITY]);

    const reported = await many<{ reported: number; of: number }>(
      eu,
      sql`
      select count(*)::int as reported, count(distinct connection_id)::int as of from feed_event where channel = ${shop.service_id}
        and event = 'field_deleted'`,
    );
    expect(reported).toEqual([{ reported: 2501, of: 2501 }]);
    await execute(eu, sql`delete from connection where connection_id like 'conn_many_%'`);
    await execute(eu, sql`delete from feed_event where channel = ${shop.service_id}`);
  });
});
