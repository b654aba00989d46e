import { connections, contactData, customer, documents, feed, webhooks, type Run } from '@codase/contracts';
import { readXml } from '@codase/runtime/http';
import type { IssuedDocument } from '@codase/actors';
import { WebhookReceiver, World, type OwnConnection, type Person } from '@codase/testing';
import { request } from 'undici';
import { asksFor, envelope, type FeedEvents, type NewRow } from '../../sharing/connections/connections-world.ts';
import { orderWith, publishes } from '../../agreements/runs/flow-runs-world.ts';

const ROWS: NewRow[] = [
  { slug: 'name', label: 'Your name', type: 'text' },
  { slug: 'mail', label: 'E-mail', type: 'email' },
  { slug: 'billing', label: 'E-mail for bills', type: 'email' },
  { slug: 'identity', label: 'Who you are', type: 'legal_document' },
  { slug: 'mobile', label: 'Mobile', type: 'phone' },
  { slug: 'hobby', label: 'Hobby', type: 'text' },
];
const ASKS_HOBBY = orderWith((definition) => {
  const hobby = { kind: 'field' as const, slug: 'hobby', label: 'Hobby', type: 'text', required: true };
  Object.assign(definition, { nodes: [{ key: 'order', party: 'customer', title: 'Hobby', elements: [hobby] }], edges: [] });
});
const PASSPORT = { pages: [envelope('image/jpeg', 'page one')], document_number: 'X1', expiry_date: '2030-01-01', issuing_country: 'SE' };

/** Tests each row of the table of events whose cause is built, over real HTTP: what happens, and which events both channels then carry. */
describe('events in the pull feed and at webhooks @spec D1-6 @spec D1-6.1', () => {
  let world: World;
  let receiver: WebhookReceiver;
  let xmlReceiver: WebhookReceiver;
  let ana: Person;
  let anas: OwnConnection;
  beforeAll(async () => {
    [world, receiver, xmlReceiver] = await Promise.all([
      World.open({ units: ['front-door', 'region-eu', 'region-us', 'delivery'] }),
      WebhookReceiver.open(),
      WebhookReceiver.open(),
    ]);
    ana = world.person('ANA');
    await asksFor(world.acme, world.shop.service_id!, ROWS);
    for (const [{ url }, format] of [
      [receiver, 'json'],
      [xmlReceiver, 'xml'],
    ] as const)
      await world.acme.asks(webhooks.createWebhook, { params: { id: world.shop.service_id! }, body: { url, auth_type: 'none', format } });
    for (const [slug, text] of [
      ['first_name', 'Ana'],
      ['email', 'ana@lind.example'],
    ] as const)
      await ana.fields.edits(slug, text);
    await putPassport(PASSPORT);
  });
  afterAll(async () => {
    await world?.close();
    await Promise.all([receiver?.close(), xmlReceiver?.close()]);
  });

  /** Returns the events of an act. A webhook delivers the same events with ids of its own. */
  const tells = async (act: () => Promise<unknown>): Promise<FeedEvents> => {
    const before = receiver.deliveries.length;
    await world.passes({ seconds: 1 });
    await act();
    const pulled = await pulls();
    const arrived = async (at: WebhookReceiver, read: (body: string) => unknown) =>
      (await at.received(before + pulled.length))
        .slice(before)
        .map(({ body }) => withoutId(read(body.toString('utf8')) as FeedEvents[number]));
    expect(await arrived(receiver, JSON.parse)).toEqual(pulled.map(withoutId));
    expect(await arrived(xmlReceiver, readXml)).toEqual(pulled.map(withoutId));
    return pulled;
  };
  /** Reads the feed in JSON and in XML, which must have the same events. Nothing is deleted before the lease is named. */
  const pulls = async (): Promise<FeedEvents> => {
    const { events, lease } = await world.shop.feed.drains({ lease: 'new' });
    const xml = await request(`${world.regionUrl('eu')}${feed.drainChanges.path}?lease=new`, {
      headers: {
        accept: 'application/xml',
        authorization: `Bearer ${await world.mints({ client_id: world.shop.client_id, sub: world.shop.client_id })}`,
      },
    });
    const read = readXml(await xml.body.text()) as { events: FeedEvents; lease: string };
    expect(read.events).toEqual(events);
    await world.shop.feed.drains({ lease: read.lease ?? lease });
    return events;
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

  it('field_updated: the person edits a live field, with one event for each slot that follows it', async () => {
    const events = await tells(() => ana.fields.edits('email', 'ana@new.example'));

    const slots = events.toSorted((a, b) => ('slug' in a && 'slug' in b && a.slug < b.slug ? -1 : 1));
    expect(slots).toEqual(
      ['billing', 'mail'].map((slug) => ({ ...every(), event: 'field_updated', slug, live: true, value: expect.any(String) })),
    );
    for (const event of events) expect(await world.shop.opens((event as { value: string }).value)).toBe('ana@new.example');
  });

  it('field_updated: the person edits a live file, and the event has its value_url', async () => {
    const value_url = expect.stringMatching(new RegExp(`^/api/company-data/connections/${anas.id}/slots/\\w+/file$`));

    const events = await tells(() => putPassport({ ...PASSPORT, document_number: 'X2' }, [{ connection_id: anas.id, slug: 'identity' }]));
    expect(events).toEqual([{ ...every(), event: 'field_updated', slug: 'identity', live: true, value_url }]);
  });

  it('field_updated: a live field gets or loses its verification, and the value is unchanged', async () => {
    const provider = await world.registersProvider();
    const { value } = (await world.shop.asks(connections.readConnection, { params: { connectionId: anas.id } })).values['name']!;
    const updated = [{ ...every(), event: 'field_updated', slug: 'name', live: true, value }];

    const requested = await ana.fields.asksToVerify('first_name', 'idco');
    const attestation = await provider.attestation(requested, 'Ana');
    expect(await tells(() => provider.sends(requested, attestation))).toEqual(updated);
    expect(await tells(() => provider.revokes(requested.verification_id, requested.api_url))).toEqual(updated);
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

  it('connection_deleted: the service ends the connection', async () => {
    await tells(async () => {
      await ana.fields.edits('first_name', 'Ana');
      await connects();
    });

    expect(await tells(() => world.shop.asks(connections.endConnection, { params: { connectionId: anas.id } }))).toEqual([
      { ...every(), event: 'connection_deleted', customer_type: 'person' },
    ]);
  });

  it('no event contains the source field of a value', () => {
    const reported = receiver.deliveries.map(({ body }) => body.toString('utf8')).join('\n');

    expect(reported).toContain('field_updated');
    expect(reported).not.toMatch(/first_name|passport|source/);
  });

  describe('document events', () => {
    let document: IssuedDocument;
    const about = ({ id, name, kind, payload_kind }: IssuedDocument) => ({ ...every(), document_id: id, name, kind, payload_kind });
    /** The members of a change that is no signature. */
    const changed = ({ id }: IssuedDocument) => ({
      ...every(),
      event: 'document_status_changed',
      document_id: id,
      method: null,
      content_sha256: null,
      signed_at: null,
      cancel_effective_date: null,
      sealed_at: null,
      plain_sha256: null,
      signer_first_name: null,
      signer_last_name: null,
      signer_name_verified: null,
    });
    const issues = async (terms: Parameters<typeof world.shop.documents.issues>[1]) =>
      void (document = await world.shop.documents.issues(ana, terms));
    const CANCELLABLE = { kind: 'agreement', metadata: { can_be_cancelled_in_app: true } } as const;
    const dayAfter = (days: number) => new Date(world.now.getTime() + days * 86_400_000).toISOString().slice(0, 10);

    it('document_created: a document is issued to a person', async () => {
      await tells(connects);

      const events = await tells(() => issues({ ...CANCELLABLE, requires_signature: true }));
      expect(events).toEqual([{ ...about(document), event: 'document_created' }]);
    });

    it('no event: a document is issued to all', async () => {
      expect(
        await tells(() => world.shop.asks(documents.createDocument, { body: { name: 'Terms', payload_kind: 'json', value: '{}' } })),
      ).toEqual([]);
    });

    it('document_status_changed: the person signs', async () => {
      const events = await tells(() => ana.documents.signs(document, undefined, { method: 'email' }));

      expect(events).toEqual([
        {
          ...changed(document),
          status: 'active',
          action: 'signed',
          method: 'email',
          content_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          signed_at: world.now.toISOString(),
          signer_first_name: 'Ada',
          signer_last_name: 'Example',
          signer_name_verified: false,
        },
      ]);
    });

    it('document_status_changed: the person cancels for a later day', async () => {
      const cancel_effective_date = dayAfter(3);

      expect(await tells(() => ana.documents.cancels(document, cancel_effective_date))).toEqual([
        { ...changed(document), status: 'active_but_ending', action: 'cancelled', cancel_effective_date },
      ]);
    });

    it('document_updated, and never document_status_changed: the company sets the status or the metadata', async () => {
      for (const change of [{ name: 'Offer 2' }, { status: 'ended' as const }])
        expect(await tells(async () => void (document = await world.shop.documents.changes(document, change)))).toEqual([
          { ...about(document), event: 'document_updated' },
        ]);
    });

    it('document_status_changed: the person accepts, and cancels for today', async () => {
      await tells(() => issues({ ...CANCELLABLE, requires_acceptance: true }));

      const signer = { signer_first_name: ana.display_name, signer_last_name: '', signer_name_verified: false };
      expect(await tells(() => ana.documents.accepts(document))).toEqual([
        { ...changed(document), status: 'active', action: 'accepted', ...signer },
      ]);
      expect(await tells(() => ana.documents.cancels(document))).toEqual([
        { ...changed(document), status: 'ended', action: 'cancelled', cancel_effective_date: dayAfter(0) },
      ]);
    });

    it('document_status_changed: the person declines', async () => {
      await tells(() => issues({ requires_signature: true }));

      expect(await tells(() => ana.documents.declines(document))).toMatchObject([
        { event: 'document_status_changed', status: 'ended', action: 'cancelled' },
      ]);
    });

    it('document_deleted: the service deletes a document that binds no one', async () => {
      await tells(() => issues({}));

      expect(await tells(() => world.shop.documents.deletes(document))).toEqual([{ ...about(document), event: 'document_deleted' }]);
    });
  });

  it('message_received: only when a person writes, not when the service writes', async () => {
    let sent: Awaited<ReturnType<typeof ana.messages.writes>> | undefined;

    const events = await tells(async () => {
      sent = await ana.messages.writes(anas, 'Good morning');
      await world.shop.messages.writes({ connection_id: anas.id }, ana, 'Hello');
    });

    expect(events).toEqual([
      {
        ...every(),
        event: 'message_received',
        connection_id: anas.id,
        message_id: sent!.message_id,
        person_public_key: ana.public_key,
        created_at: sent!.created_at,
        body: expect.stringContaining('"_enc"'),
      },
    ]);
    expect(await world.shop.opens((events[0] as { body: string }).body)).toBe('Good morning');
  });

  it('flow_run_turn and flow_completed: a run reaches the turn of a party, and ends', async () => {
    const dana = await world.signsUp({ type: 'person', region: 'us' });
    const of = { ...every(), person_user_id: dana.user_id, share_code: dana.share_code };
    const flow = await publishes(world.acme, world.shop.service_id!, ASKS_HOBBY);
    let [connection, run] = [{} as OwnConnection, {} as Run];
    await tells(async () => (connection = await dana.connections.connects('ACME/SHOP')));

    expect(await tells(async () => (run = await world.shop.flows.starts(flow, { target: { connection_id: connection.id } })))).toEqual([
      { ...of, event: 'flow_run_turn', flow_run_id: run.id, awaiting_party: 'customer' },
    ]);
    expect(await tells(() => dana.flows.answers(connection, run, { hobby: 'chess' }, { leaf: true }))).toEqual([
      { ...of, event: 'consent_accepted', slug: 'hobby' },
      { ...of, event: 'flow_completed', flow_run_id: run.id },
    ]);
  });

  it('connection_request_rejected and connection_request_accepted: a person answers a connect request', async () => {
    const [ben, cleo] = [world.person('BEN'), await world.signsUp({ type: 'person', region: 'eu' })];
    const of = ({ user_id, share_code }: Person) => ({ ...every(), person_user_id: user_id, share_code });
    let request_id = '';
    const invites = async (person: Person) => void ({ request_id } = await world.shop.invites(person));

    expect(await tells(() => invites(ben))).toEqual([]);
    expect(await tells(() => ben.invitations.rejects({ request_id }))).toEqual([
      { ...of(ben), event: 'connection_request_rejected', request_id },
    ]);

    await invites(cleo);
    const events = await tells(() => cleo.connections.connects('ACME/SHOP'));
    expect(events).toHaveLength(2);
    expect(events).toEqual(
      expect.arrayContaining([
        { ...of(cleo), event: 'connection_created', customer_type: 'person' },
        { ...of(cleo), event: 'connection_request_accepted', request_id },
      ]),
    );
  });
});

const withoutId = ({ id: _id, ...event }: FeedEvents[number]) => event;
