import { connections, contactData, customer } from '@codase/contracts';
import { World, type Backend, type Company, type OwnConnection, type Person, type VerificationProvider } from '@codase/testing';
import { asksFor, hears, hearsOf, readsConnection, refused, type NewRow } from './connections-world.ts';

const NAME: NewRow = { slug: 'name', label: 'Your name', type: 'text', mandatory: true };
const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };
const BIRTH: NewRow = { slug: 'born', label: 'Date of birth', type: 'date_of_birth', one_time: true };
const PHONE: NewRow = { slug: 'mobile', label: 'Mobile', type: 'phone', mandatory: true };

describe('a person connected to a service @spec D1-2.7 @spec D1-6.1', () => {
  let world: World;
  let acme: Company;
  let shop: Backend;
  let ana: Person;
  let anas: OwnConnection;
  let provider: VerificationProvider;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    ({ acme, shop } = world);
    ana = world.person('ANA');
    provider = await world.registersProvider();
    await asksFor(acme, shop.service_id!, [NAME, MAIL, BIRTH]);
    await ana.fields.edits('first_name', 'Ana');
    await ana.fields.edits('email', 'ana@lind.example');
  });
  afterAll(() => world?.close());

  const read = () => readsConnection(shop, anas.id);
  const opened = async (slug: string) => shop.opens((await read()).values[slug]!.value!);

  it('reads the card of a service before connecting @spec D1-5.8', async () => {
    const card = await ana.asks(customer.readServiceCard, { params: { companyCode: 'ACME', serviceCode: 'SHOP' } });

    expect(card).toMatchObject({
      service_id: shop.service_id,
      name: 'Shop',
      company: { display_name: 'Acme', share_code: 'ACME' },
      audience: 'both',
    });
    expect(card.public_key).toBe(shop.public_key);
    expect(card.request_fields.map(({ slug }) => slug)).toEqual(['name', 'mail', 'born']);
  });

  it('is announced by connection_created, without a slot or a value', async () => {
    anas = await ana.connections.connects('ACME/SHOP', {
      name: { text: 'Ana', from: 'first_name' },
      mail: { text: 'ana@lind.example', from: 'email' },
      born: '1990-02-03',
    });

    expect(await hears(shop)).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        event: 'connection_created',
        person_user_id: ana.user_id,
        share_code: 'ANA',
        customer_type: 'person',
        at: anas.connected_at,
      },
    ]);
  });

  it('is read by the service with values by slug, and whether each is live @spec D1-4.2', async () => {
    const { values, fields, ...reported } = await read();

    expect(reported).toEqual({
      id: anas.id,
      person_id: ana.user_id,
      display_name: 'Ana Lind',
      connected_at: anas.connected_at,
      customer_type: 'person',
      share_code: 'ANA',
      values_private: { name: true, mail: true, born: true },
    });
    expect(Object.entries(values).map(([slug, { live }]) => [slug, live])).toEqual([
      ['name', true],
      ['mail', true],
      ['born', false],
    ]);
    expect(await opened('name')).toBe('Ana');
    expect(fields.map(({ slug, type }) => [slug, type])).toEqual([
      ['name', 'text'],
      ['mail', 'email'],
      ['born', 'date_of_birth'],
    ]);
    expect(JSON.stringify(values)).not.toContain('first_name');
    const { fields: _fields, ...listed } = await read();
    expect(await shop.asks(connections.listConnections, { query: {} })).toEqual({ items: [listed], next_cursor: null });
  });

  it('reads its own connection with the source field of each value', async () => {
    const own = await ana.asks(customer.readCustomerConnection, { params: { connectionId: anas.id } });

    expect(own).toEqual(anas);
    expect(own.values.map(({ slug, source_field }) => [slug, source_field])).toEqual([
      ['name', 'first_name'],
      ['mail', 'email'],
      ['born', null],
    ]);
    expect(await ana.asks(customer.listCustomerConnections, { query: {} })).toEqual({ items: [anas], next_cursor: null });
  });

  it('edits a field, with one event for each live slot that follows it', async () => {
    await world.passes({ seconds: 1 });
    await ana.fields.edits('email', 'ana@new.example');

    const [event, ...more] = await hears(shop);
    expect(event).toMatchObject({ event: 'field_updated', slug: 'mail', live: true, person_user_id: ana.user_id });
    expect(await shop.opens((event as { value: string }).value)).toBe('ana@new.example');
    expect(more).toEqual([]);
    expect(await opened('mail')).toBe('ana@new.example');
  });

  it("causes events with a slot's state at delivery, and field_deleted when the slot is empty by then", async () => {
    await ana.fields.edits('email', 'one@new.example');
    await ana.fields.edits('email', 'two@new.example');
    const values = (await hears(shop)).map((event) => shop.opens((event as { value: string }).value));
    expect(await Promise.all(values)).toEqual(['two@new.example', 'two@new.example']);

    await ana.fields.edits('email', 'three@new.example');
    await ana.connections.drops(anas, 'mail');
    expect(await hearsOf(shop)).toEqual(['field_deleted mail', 'field_deleted mail']);
  });

  it('consents to a request field, with consent_accepted to the service', async () => {
    anas = await ana.connections.shares(anas, { mail: { text: 'ana@new.example', from: 'email' } });

    expect(await hearsOf(shop)).toEqual(['consent_accepted mail']);
    expect(anas.open_requests).toEqual([]);
  });

  it('changes an answer with a field_updated event, and repeats the same answer without an event', async () => {
    await ana.connections.shares(anas, { born: '1990-02-04' });
    expect(await hearsOf(shop)).toEqual(['field_updated born']);
    expect(await opened('born')).toBe('1990-02-04');

    const value = (await read()).values['born']!.value!;
    await ana.asks(customer.changeCustomerConnection, { params: { connectionId: anas.id }, body: { values: [{ slug: 'born', value }] } });
    expect(await hearsOf(shop)).toEqual([]);
  });

  it('declines a request field that is added later, stays connected, and may consent afterwards', async () => {
    await asksFor(acme, shop.service_id!, [NAME, MAIL, BIRTH, PHONE]);
    const pending = await ana.asks(customer.readCustomerConnection, { params: { connectionId: anas.id } });
    expect(pending.open_requests).toEqual([{ ...PHONE, one_time: false, verified: false, plugin: null }]);

    expect((await ana.connections.declines(anas, 'mobile')).open_requests).toEqual([]);
    await ana.connections.declines(anas, 'mobile');
    expect(await hearsOf(shop)).toEqual(['consent_declined mobile']);

    await ana.connections.shares(anas, { mobile: '+46701234567' });
    expect(await hearsOf(shop)).toEqual(['consent_accepted mobile']);
  });

  it('gets and loses a verification of a field, while the value stays @spec D1-2.7', async () => {
    const before = (await read()).values['name']!;

    const verified = await provider.verifies(ana, 'first_name', 'Ana');
    expect(await hears(shop)).toMatchObject([{ event: 'field_updated', slug: 'name', value: before.value }]);
    expect((await read()).values['name']).toEqual({ ...before, ...verified });
    expect((await ana.asks(contactData.listContactData, {})).items).toContainEqual(
      expect.objectContaining({ slug: 'first_name', ...verified }),
    );

    await provider.revokes(verified.verification_id, world.regionUrl('eu'));
    expect(await hearsOf(shop)).toEqual(['field_updated name']);
    expect((await read()).values['name']).toEqual(before);
    await expect(ana.fields.asksToVerify('gender', 'idco')).rejects.toEqual(refused('contact_fields.not_found', 404));
  });

  it('deletes a field together with its live copies', async () => {
    await ana.fields.deletes('first_name');

    expect(await hears(shop)).toEqual([expect.objectContaining({ event: 'field_deleted', slug: 'name' })]);
    expect((await read()).values).not.toHaveProperty('name');
    await expect(ana.fields.deletes('first_name')).rejects.toEqual(refused('contact_fields.not_found', 404));
  });

  it('ends the connection, and nothing of it is left', async () => {
    await ana.connections.disconnects(anas);

    expect(await hears(shop)).toEqual([
      expect.objectContaining({ event: 'connection_deleted', person_user_id: ana.user_id, customer_type: 'person' }),
    ]);
    await expect(read()).rejects.toEqual(refused('company_data.connection_not_found', 404));
    await expect(ana.connections.disconnects(anas)).rejects.toEqual(refused('company_data.connection_not_found', 404));
    expect((await ana.asks(customer.listCustomerConnections, { query: {} })).items).toEqual([]);
  });

  it('loses the connection when the service ends it, with an event also to the service @spec D1-4.2', async () => {
    const again = await ana.connections.connects('ACME/SHOP', { name: 'Ana', mobile: '+46701234567' });
    await hears(shop);
    await shop.asks(connections.endConnection, { params: { connectionId: again.id } });

    expect(await hearsOf(shop)).toEqual(['connection_deleted']);
    await expect(shop.asks(connections.endConnection, { params: { connectionId: again.id } })).rejects.toEqual(
      refused('company_data.connection_not_found', 404),
    );
    await expect(ana.asks(customer.readCustomerConnection, { params: { connectionId: again.id } })).rejects.toEqual(
      refused('company_data.connection_not_found', 404),
    );
  });

  it('may drop even a mandatory answer, and the service continues to request it @gap D1-2.6', async () => {
    await asksFor(acme, shop.service_id!, [NAME, MAIL]);
    anas = await ana.connections.connects('ACME/SHOP', { name: { text: 'Ana', from: 'first_name' } });
    await hears(shop);
    const { open_requests } = await ana.connections.drops(anas, 'name');

    expect(await hearsOf(shop)).toEqual(['field_deleted name']);
    expect(open_requests).toContainEqual(expect.objectContaining({ slug: 'name', mandatory: true }));
  });

  it('answers a field that requires verification only with a value verified recently enough @spec D1-2.7 @gap D1-2.6', async () => {
    await asksFor(acme, shop.service_id!, [NAME, { ...MAIL, verified: true, verified_max_age_days: 30 }]);
    const shares = () => ana.connections.shares(anas, { mail: { text: 'ana@new.example', from: 'email' } });
    const invalid = (reason: RegExp) => ({
      key: 'company_connections.values_invalid',
      status: 400,
      message: expect.stringMatching(reason),
    });

    await expect(shares()).rejects.toMatchObject(invalid(/^mail: your field email is not verified$/));
    await expect(ana.connections.shares(anas, { mail: 'ana@new.example' })).rejects.toMatchObject(invalid(/^mail: .*source_field/));

    const verified = await provider.verifies(ana, 'email', 'ana@new.example');
    await shares();
    expect(await hearsOf(shop)).toEqual(['consent_accepted mail']);
    expect((await read()).values['mail']).toMatchObject(verified);

    await provider.revokes(verified.verification_id, world.regionUrl('eu'));
    expect(await hearsOf(shop)).toEqual(['field_updated mail']);
    expect((await read()).values['mail']).not.toHaveProperty('verified_hash');

    await provider.verifies(ana, 'email', 'ana@new.example');
    await world.passes({ hours: 31 * 24 });
    await ana.getsToken();
    await expect(shares()).rejects.toMatchObject(invalid(/^mail: your field email was verified longer ago than 30 days/));
  });
});
