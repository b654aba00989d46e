import { connections, contactData, customer, MARK_VERIFIED, webhooks } from '@cds/contracts';
import { verifiedHash } from '@cds/crypto';
import { WebhookReceiver, World, type OwnConnection, type Person } from '@cds/testing';
import { asksFor, envelope, hears, type FeedEvents, type NewRow } from './connections-world.ts';

const ROWS: NewRow[] = [
  { slug: 'name', label: 'Your name', type: 'text' },
  { slug: 'mail', label: 'E-mail', type: 'email' },
  { slug: 'billing', label: 'E-mail for bills', type: 'email' },
  { slug: 'identity', label: 'Who you are', type: 'legal_document' },
  { slug: 'mobile', label: 'Mobile', type: 'phone' },
  { slug: 'hobby', label: 'Hobby', type: 'text' },
];
const PASSPORT = { pages: [envelope('image/jpeg', 'page one')], document_number: 'X1', expiry_date: '2030-01-01', issuing_country: 'SE' };

/** Each row of the table of events whose cause is built, through the real doors: what happens, and what both channels then tell. */
describe('by the pull feed and by a webhook alike @spec D1-6 @spec D1-6.1', () => {
  let world: World;
  let receiver: WebhookReceiver;
  let ana: Person;
  let anas: OwnConnection;
  beforeAll(async () => {
    [world, receiver] = await Promise.all([
      World.open({ units: ['front-door', 'region-eu', 'region-us', 'delivery'] }),
      WebhookReceiver.open(),
    ]);
    ana = world.person('ANA');
    await asksFor(world.acme, world.shop.service_id!, ROWS);
    await world.acme.asks(webhooks.createWebhook, {
      params: { id: world.shop.service_id! },
      body: { url: receiver.url, auth_type: 'none' },
    });
    for (const [slug, text] of [
      ['first_name', 'Ana'],
      ['email', 'ana@lind.example'],
    ] as const)
      await ana.fields.edits(slug, text);
    await putPassport(PASSPORT);
  });
  afterAll(async () => {
    await world?.close();
    await receiver?.close();
  });

  /** What an act tells. A webhook's id is its own, and all the rest is the same. */
  const tells = async (act: () => Promise<unknown>): Promise<FeedEvents> => {
    const before = receiver.deliveries.length;
    await world.passes({ seconds: 1 });
    await act();
    const pulled = await hears(world.shop);
    const delivered = (await receiver.received(before + pulled.length))
      .slice(before)
      .map(({ body }) => JSON.parse(body.toString('utf8')) as FeedEvents[number]);
    expect(delivered.map(withoutId)).toEqual(pulled.map(withoutId));
    return pulled;
  };
  const every = () => ({
    id: expect.stringMatching(/^evt_/),
    person_user_id: ana.user_id,
    share_code: 'ANA',
    at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const putPassport = (passport: object, slots: { connection_id: string; slug: string }[] = []) => {
    const value = JSON.stringify(passport);
    return ana.asks(contactData.putContactData, {
      params: { slug: 'passport' },
      body: { value, copies: slots.map((slot) => ({ ...slot, value })) },
    });
  };
  const verifies = async (verification: object) =>
    (await world.operator('platform')).request(
      MARK_VERIFIED,
      { region: 'eu' },
      { user_id: ana.user_id, field: 'first_name', verification },
    );
  const connects = async () => {
    const sealed = async (slug: string, text: string, source_field?: string) => ({
      slug,
      value: await ana.sealsFor(world.shop, text),
      ...(source_field && { source_field }),
    });
    const values = [
      await sealed('name', 'Ana', 'first_name'),
      await sealed('mail', 'ana@lind.example', 'email'),
      await sealed('billing', 'ana@lind.example', 'email'),
      { slug: 'identity', value: JSON.stringify(PASSPORT), source_private: false, source_field: 'passport' },
    ];
    anas = await ana.asks(customer.connect, { body: { code: 'ACME/SHOP', values } });
  };

  it('connection_created: a person connects', async () => {
    expect(await tells(connects)).toEqual([{ ...every(), event: 'connection_created', customer_type: 'person' }]);
  });

  it('field_updated: the person edits a live field, one event for each slot that follows it', async () => {
    const events = await tells(() => ana.fields.edits('email', 'ana@new.example'));

    const slots = events.toSorted((a, b) => ('slug' in a && 'slug' in b && a.slug < b.slug ? -1 : 1));
    expect(slots).toEqual(
      ['billing', 'mail'].map((slug) => ({ ...every(), event: 'field_updated', slug, live: true, value: expect.any(String) })),
    );
    for (const event of events) expect(await world.shop.opens((event as { value: string }).value)).toBe('ana@new.example');
  });

  it('field_updated: the person edits a live file, told by its address', async () => {
    const value_url = expect.stringMatching(new RegExp(`^/api/company-data/connections/${anas.id}/slots/\\w+/file$`));

    const events = await tells(() => putPassport({ ...PASSPORT, document_number: 'X2' }, [{ connection_id: anas.id, slug: 'identity' }]));
    expect(events).toEqual([{ ...every(), event: 'field_updated', slug: 'identity', live: true, value_url }]);
  });

  it('field_updated: a live field gains and loses its verification, with its value unchanged', async () => {
    const verified_salt = 'c2FsdA==';
    const verification = {
      verified_hash: await verifiedHash(verified_salt, 'Ana'),
      verified_salt,
      verified_at: '2026-01-02T03:04:05.000Z',
      verified_expires_at: null,
      verified_method: 'document',
      verified_provider: 'idco',
      verification_id: 'ver_1',
    };
    const { value } = (await world.shop.asks(connections.readConnection, { params: { connectionId: anas.id } })).values['name']!;
    const updated = [{ ...every(), event: 'field_updated', slug: 'name', live: true, value }];

    expect(await tells(() => verifies(verification))).toEqual(updated);
    expect(await tells(() => verifies({}))).toEqual(updated);
  });

  it('field_deleted: a live mapping is dropped', async () => {
    expect(await tells(() => ana.connections.drops(anas, 'billing'))).toEqual([{ ...every(), event: 'field_deleted', slug: 'billing' }]);
  });

  it('field_deleted: the live field is deleted', async () => {
    expect(await tells(() => ana.fields.deletes('first_name'))).toEqual([{ ...every(), event: 'field_deleted', slug: 'name' }]);
  });

  it('consent_accepted: the person provides a requested field', async () => {
    expect(await tells(() => ana.connections.shares(anas, { mobile: '+46701234567' }))).toEqual([
      { ...every(), event: 'consent_accepted', slug: 'mobile' },
    ]);
  });

  it('consent_declined: the person declines a requested field, and stays connected', async () => {
    expect(await tells(() => ana.connections.declines(anas, 'hobby'))).toEqual([{ ...every(), event: 'consent_declined', slug: 'hobby' }]);
  });

  it('connection_deleted: the person disconnects', async () => {
    expect(await tells(() => ana.connections.disconnects(anas))).toEqual([
      { ...every(), event: 'connection_deleted', customer_type: 'person' },
    ]);
  });

  it('connection_deleted: the service ends it', async () => {
    await tells(async () => {
      await ana.fields.edits('first_name', 'Ana');
      await connects();
    });

    expect(await tells(() => world.shop.asks(connections.endConnection, { params: { connectionId: anas.id } }))).toEqual([
      { ...every(), event: 'connection_deleted', customer_type: 'person' },
    ]);
  });

  it('and the source of a value is in no event', () => {
    const told = receiver.deliveries.map(({ body }) => body.toString('utf8')).join('\n');

    expect(told).toContain('field_updated');
    expect(told).not.toMatch(/first_name|passport|source/);
  });
});

const withoutId = ({ id: _id, ...event }: FeedEvents[number]) => event;
