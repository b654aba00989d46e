import { connections, contactData, customer, services, type Refusal, type Request } from '@codase/contracts';
import { World, type Backend, type Company, type OwnConnection, type Person } from '@codase/testing';
import { asksFor, hearsOf, refused, type NewRow } from './connections-world.ts';

type Values = NonNullable<Request<typeof customer.connect>['body']['values']>;

const NAME: NewRow = { slug: 'name', label: 'Your name', type: 'text', mandatory: true };
const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };
const VAT: NewRow = { slug: 'vat', label: 'VAT number', type: 'text', audience: 'company', mandatory: true };
const SCAN: NewRow = { slug: 'scan', label: 'A scan', type: 'pdf_document' };
const PORTRAIT: NewRow = { slug: 'portrait', label: 'A photo of you', type: 'photo' };

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const DRAWING = (mime_type: string) =>
  JSON.stringify({
    file: `data:${mime_type};base64,${Buffer.from(SVG).toString('base64')}`,
    original_name: 'me',
    mime_type,
    size: SVG.length,
  });

describe('connecting to a service @spec D1-7', () => {
  let world: World;
  let acme: Company;
  let shop: Backend;
  let ana: Person;
  let sealed: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    ({ acme, shop } = world);
    ana = world.person('ANA');
    await asksFor(acme, shop.service_id!, [NAME, MAIL, VAT, SCAN, PORTRAIT]);
    sealed = await ana.sealsFor(shop, 'Ana');
  });
  afterAll(() => world?.close());

  const connect = (code: string, values: Values) => ana.asks(customer.connect, { body: { code, values } });
  const asPerson = (): Values => [{ slug: 'name', value: sealed }];

  it('is refused with a company code without a service', async () => {
    await expect(connect('ACME', asPerson())).rejects.toEqual(refused('profile.company_code_requires_service', 400));
  });

  it.each([
    ['a company that is not there', 'NOBODY', 'SHOP'],
    ['a person, who has no services', 'CHIARA', 'SHOP'],
    ['a service that is not there', 'ACME', 'NOSHOP'],
    ['a service that is not there, in another region', 'BOLT', 'NOSHOP'],
    ['a service by codes that no service has', 'abc', 'shop'],
  ])('is refused when the target is %s', async (_, companyCode, serviceCode) => {
    const unknown = refused('company_connections.service_not_found', 404);
    await expect(connect(`${companyCode}/${serviceCode}`, asPerson())).rejects.toEqual(unknown);
    await expect(ana.asks(customer.readServiceCard, { params: { companyCode, serviceCode } })).rejects.toEqual(unknown);
  });

  it.each<[string, () => Values, Refusal['key']]>([
    ['a mandatory row unanswered', () => [{ slug: 'mail', value: sealed }], 'company_connections.values_invalid'],
    ['a row nobody asked for', () => [...asPerson(), { slug: 'shoe_size', value: sealed }], 'company_connections.values_invalid'],
    ['a row that asks companies', () => [...asPerson(), { slug: 'vat', value: sealed }], 'company_connections.values_invalid'],
    ['a row answered twice', () => [...asPerson(), ...asPerson()], 'company_connections.values_invalid'],
    [
      'a source of another type',
      () => [...asPerson(), { slug: 'mail', value: sealed, source_field: 'phone' }],
      'company_connections.values_invalid',
    ],
    [
      'a source nobody has',
      () => [...asPerson(), { slug: 'mail', value: sealed, source_field: 'nothing' }],
      'company_connections.values_invalid',
    ],
    [
      'a source only companies have',
      () => [...asPerson(), { slug: 'mail', value: sealed, source_field: 'invoice_email' }],
      'company_connections.values_invalid',
    ],
    ['a value in the clear', () => [{ slug: 'name', value: 'Ana' }], 'contact_data.encryption_required'],
    [
      'a text in the clear whose source is not private',
      () => [{ slug: 'name', value: 'Ana', source_private: false }],
      'contact_data.encryption_required',
    ],
    [
      'a file in the clear that is none',
      () => [...asPerson(), { slug: 'scan', value: 'scan', source_private: false }],
      'company_connections.values_invalid',
    ],
    [
      'a file in the clear with nothing in it',
      () => [...asPerson(), { slug: 'portrait', value: '{}', source_private: false }],
      'company_connections.values_invalid',
    ],
    [
      'a text as long as a file',
      () => [{ slug: 'name', value: sealed.replace('"d":"', `"d":"${'A'.repeat(262_144)}`) }],
      'documents.too_large',
    ],
    ['a slug that cannot be', () => [{ slug: 'a slug', value: sealed }], 'request.invalid'],
  ])('is refused with %s', async (_, values, key) => {
    await expect(connect('ACME/SHOP', values())).rejects.toEqual(refused(key, 400));
    expect(await hearsOf(shop)).toEqual([]);
    expect((await shop.asks(connections.listConnections, { query: {} })).items).toEqual([]);
  });

  it('is refused while a connection exists, also concurrently', async () => {
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => connect('ACME/SHOP', asPerson())));

    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as Refusal).key] : []));
    expect(lost).toEqual(Array(2).fill('company_connections.exists'));
    expect(await hearsOf(shop)).toEqual(['connection_created']);
  });

  it('is refused to the company that owns the service', async () => {
    const values = [
      { slug: 'name', value: sealed },
      { slug: 'vat', value: sealed },
    ];
    await expect(acme.asks(customer.connect, { body: { code: 'ACME/SHOP', values } })).rejects.toEqual(
      refused('company_connections.persons_only', 400),
    );
  });

  it('is refused to a person when the service is for companies only', async () => {
    await acme.asks(services.changeShareConfig, {
      params: { id: shop.service_id! },
      body: { audience: 'b2b', fields: [], photo_id: null },
    });
    const chiara = world.person('CHIARA');
    await expect(chiara.connections.connects('ACME/SHOP', { name: 'Chiara' })).rejects.toEqual(refused('services.audience_b2b_only', 403));

    const neighbour = await world.signsUp({ type: 'company', region: 'eu' });
    const connected = await neighbour.connections.connects('ACME/SHOP', { name: 'Neighbour', vat: 'SE123' });
    expect((await shop.asks(connections.readConnection, { params: { connectionId: connected.id } })).customer_type).toBe('company');
  });

  describe('changing a connection', () => {
    let anas: OwnConnection;
    beforeAll(async () => {
      [anas] = (await ana.asks(customer.listCustomerConnections, { query: {} })).items as [OwnConnection];
      await hearsOf(shop);
    });

    const change = (body: Request<typeof customer.changeCustomerConnection>['body']) =>
      ana.asks(customer.changeCustomerConnection, { params: { connectionId: anas.id }, body });

    it.each<[string, () => Promise<unknown>, Refusal['key'], number]>([
      ['a value in the clear', () => change({ values: [{ slug: 'name', value: 'Ana' }] }), 'contact_data.encryption_required', 400],
      [
        'a text as long as a file',
        () => change({ values: [{ slug: 'name', value: sealed.replace('"d":"', `"d":"${'A'.repeat(262_144)}`) }] }),
        'documents.too_large',
        400,
      ],
      [
        'a row that was not asked for',
        () => change({ values: [{ slug: 'vat', value: sealed }] }),
        'company_connections.values_invalid',
        400,
      ],
      ['nothing to drop', () => change({ drop: ['mail'] }), 'company_connections.values_invalid', 400],
      ['a row that is answered, to decline', () => change({ decline: ['name'] }), 'company_connections.values_invalid', 400],
      ['a row that nobody asked for, to decline', () => change({ decline: ['shoe_size'] }), 'company_connections.values_invalid', 400],
      ['two wishes for one row', () => change({ drop: ['name'], decline: ['name'] }), 'company_connections.values_invalid', 400],
      ['a slug that cannot be', () => change({ drop: ['a slug'] }), 'request.invalid', 400],
    ])('is refused with %s', async (_, changes, key, status) => {
      await expect(changes()).rejects.toEqual(refused(key, status));
      expect(await hearsOf(shop)).toEqual([]);
      expect(await ana.asks(customer.readCustomerConnection, { params: { connectionId: anas.id } })).toEqual(anas);
    });

    it('refuses to drop a value that was shared once', async () => {
      await ana.connections.shares(anas, { mail: { text: 'ana@lind.example', live: false } });
      await expect(ana.connections.drops(anas, 'mail')).rejects.toEqual(refused('company_connections.values_invalid', 400));
    });

    it('is refused as not found to other customers and other services', async () => {
      const chiara = world.person('CHIARA');
      const params = { connectionId: anas.id };
      const unknown = refused('company_data.connection_not_found', 404);

      await expect(chiara.asks(customer.readCustomerConnection, { params })).rejects.toEqual(unknown);
      await expect(chiara.connections.declines(anas, 'mail')).rejects.toEqual(unknown);
      await expect(chiara.connections.disconnects(anas)).rejects.toEqual(unknown);
      await expect(world.boltShop.asks(connections.readConnection, { params })).rejects.toEqual(unknown);
      await expect(world.boltShop.asks(connections.endConnection, { params })).rejects.toEqual(unknown);
    });

    it('listing connections refuses an invalid cursor', async () => {
      await expect(ana.asks(customer.listCustomerConnections, { query: { cursor: 'page2' } })).rejects.toEqual(
        refused('request.invalid', 400),
      );
      await expect(shop.asks(connections.listConnections, { query: { cursor: 'page2' } })).rejects.toEqual(refused('request.invalid', 400));
    });
  });

  describe("the values of one's own profile @spec D1-5.8", () => {
    const put = (slug: string, body: Request<typeof contactData.putContactData>['body']) =>
      ana.asks(contactData.putContactData, { params: { slug }, body });
    let anas: OwnConnection;
    beforeAll(async () => {
      await put('email', { value: await ana.sealsFor(ana, 'ana@lind.example'), is_private: true });
      [anas] = (await ana.asks(customer.listCustomerConnections, { query: {} })).items as [OwnConnection];
      anas = await ana.connections.shares(anas, { mail: { text: 'ana@lind.example', from: 'email' } });
      await hearsOf(shop);
    });

    it('are stored sealed when private, and otherwise validated by their type', async () => {
      expect(await put('country', { value: 'SE' })).toMatchObject({ slug: 'country', value: 'SE', is_private: false });
      const { items } = await ana.asks(contactData.listContactData, {});

      expect(items.map(({ slug, is_private }) => [slug, is_private])).toEqual([
        ['country', false],
        ['email', true],
      ]);
      expect(await ana.opens(items[1]!.value)).toBe('ana@lind.example');
    });

    it('are refused with the wrong member and what is expected of it @gap D1-7', async () => {
      await expect(put('country', { value: 'Sweden' })).rejects.toThrow(/^value: must be an assigned ISO 3166-1 code/);
      await expect(put('photo', { value: DRAWING('image/png') })).rejects.toThrow(/^value\.file: must be a JPEG, PNG/);
      await expect(put('phone', { value: '+46701234567', is_private: true })).rejects.toThrow(/^value: must be a wrapper/);
    });

    it.each<[string, () => Promise<unknown>, Refusal['key'], number]>([
      ['a field nobody has', () => put('nothing', { value: 'x' }), 'contact_fields.not_found', 404],
      ['a field of companies', () => put('vat_number', { value: 'x' }), 'contact_fields.not_found', 404],
      ['a value of another type', () => put('country', { value: 'Sweden' }), 'contact_data.value_invalid', 400],
      ['a photo that is a drawing', () => put('photo', { value: DRAWING('image/svg+xml') }), 'contact_data.value_invalid', 400],
      ['a photo that is a drawing by its bytes', () => put('photo', { value: DRAWING('image/png') }), 'contact_data.value_invalid', 400],
      [
        'a private value in the clear',
        () => put('phone', { value: '+46701234567', is_private: true }),
        'contact_data.encryption_required',
        400,
      ],
      ['an edit without the copy that follows', () => put('email', { value: sealed, is_private: true }), 'request.invalid', 400],
      [
        'a copy in the clear',
        () => put('email', { value: sealed, is_private: true, copies: [{ connection_id: anas.id, slug: 'mail', value: 'x' }] }),
        'contact_data.encryption_required',
        400,
      ],
      [
        'a copy for a slot that follows another field',
        () => put('email', { value: sealed, is_private: true, copies: [copy('mail'), copy('name')] }),
        'request.invalid',
        400,
      ],
      [
        'a copy twice',
        () => put('email', { value: sealed, is_private: true, copies: [copy('mail'), copy('mail')] }),
        'request.invalid',
        400,
      ],
      [
        'a copy for a connection that is not there',
        () => put('email', { value: sealed, is_private: true, copies: [copy('mail'), { ...copy('mail'), connection_id: 'conn_none' }] }),
        'company_data.connection_not_found',
        404,
      ],
    ])('refuse %s', async (_, change, key, status) => {
      const before = await ana.asks(contactData.listContactData, {});
      await expect(change()).rejects.toEqual(refused(key, status));
      expect(await ana.asks(contactData.listContactData, {})).toEqual(before);
      expect(await hearsOf(shop)).toEqual([]);
    });

    it('refuse files of a company that are too large to move with it', async () => {
      const pdf = `data:application/pdf;base64,${Buffer.alloc(400_000, '%PDF-1.7 ').toString('base64')}`;
      const value = JSON.stringify({ file: pdf, original_name: 'extract.pdf', mime_type: 'application/pdf', size: 400_000 });
      const params = { slug: 'trade_register_extract' };
      await expect(acme.asks(contactData.putContactData, { params, body: { value } })).rejects.toEqual(refused('documents.too_large', 400));
      expect(await acme.asks(contactData.putContactData, { params: { slug: 'company_name' }, body: { value: 'Acme Ltd' } })).toMatchObject({
        value: 'Acme Ltd',
      });
    });

    const copy = (slug: string) => ({ connection_id: anas.id, slug, value: sealed });
  });
});
