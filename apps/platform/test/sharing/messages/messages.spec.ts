import { BROADCAST_MESSAGES, MESSAGE_CHARS, messages, serviceClient, webhooks, type FeedEventOf } from '@codase/contracts';
import { many, one, sql } from '@codase/runtime/db';
import type { Backend, Company, OwnConnection, Person } from '@codase/testing';
import { hears, refused } from '../connections/connections-world.ts';
import { MovingWorld } from '../../support/moving-world.ts';

type Received = FeedEventOf<'message_received'>;
type Customer = Person & { connection: OwnConnection };

describe('messages between services and their customers @spec D1-4.2 @spec D1-4.7', () => {
  let moving: MovingWorld;
  let shop: Backend;
  let ana: Customer;
  let ben: Customer;
  beforeAll(async () => {
    moving = await MovingWorld.open();
    ({ shop } = moving.world);
    [ana, ben] = [await customer('eu'), await customer('us')];
    await hears(shop);
  });
  afterAll(() => moving?.close());

  /** Signs up a person who is connected to a service. */
  const customer = async (region: 'eu' | 'us', code = 'ACME/SHOP'): Promise<Customer> => {
    const person = await moving.world.signsUp({ type: 'person', region });
    return Object.assign(person, { connection: await person.connections.connects(code) });
  };
  const onConnection = ({ connection }: Customer) => ({ connection_id: connection.id });
  const heard = async (backend: Backend) => (await hears(backend)) as Received[];
  const stored = (connection_id: string) =>
    many<{ body: string }>(
      moving.internals.database('region_eu'),
      sql`select body from message where connection_id = ${connection_id} order by created_at`,
    );
  const unknownConnection = refused('company_data.connection_not_found', 404);
  const plaintext = refused('contact_data.encryption_required', 400);
  const noBoundary = refused('company_data.ack_boundary_invalid', 400);

  describe.each(['eu', 'us'] as const)('with a person at home in %s', (region) => {
    let person: Customer;
    beforeEach(() => {
      person = region === 'eu' ? ana : ben;
    });

    it("reach the service as an event with the person's public key for the answer @spec D1-6.1", async () => {
      const sent = await person.messages.writes(person.connection, 'Is it in stock?');
      const [event, ...more] = await heard(shop);

      expect(more).toEqual([]);
      expect(event).toEqual({
        id: expect.any(String),
        event: 'message_received',
        person_user_id: person.user_id,
        share_code: person.share_code,
        at: sent.created_at,
        connection_id: person.connection.id,
        message_id: sent.message_id,
        person_public_key: person.public_key,
        created_at: sent.created_at,
        body: expect.any(String),
      });
      expect(await shop.opens(event!.body)).toBe('Is it in stock?');
    });

    it('reach the phone at once when the service writes, and raise no feed event @spec D1-6.1', async () => {
      const phone = person.phone.listens();
      await phone.hears('reset');
      await shop.messages.writes(onConnection(person), person, 'Yes, three are left.');

      expect((await phone.hears('message_received')).data).toEqual(onConnection(person));
      await phone.leaves();
      const [answer, question] = await person.messages.lists(person.connection);
      expect(await person.opens(answer!.body)).toBe('Yes, three are left.');
      expect(answer).toMatchObject({ from: 'company', read_at: null });
      expect(question).toMatchObject({ from: 'person', read_at: null });
      expect(await heard(shop)).toEqual([]);
    });

    it('are counted as unread on each side until they are read, with a read receipt', async () => {
      const first = await person.messages.writes(person.connection, 'Please keep one');
      const second = await person.messages.writes(person.connection, 'until Friday');
      const waiting = async () => (await shop.messages.unread()).find(({ connection_id }) => connection_id === person.connection.id);
      expect(await waiting()).toMatchObject({ unread: 3 });

      await shop.messages.acknowledges(first);
      expect(await waiting()).toEqual({
        connection_id: person.connection.id,
        unread: 1,
        oldest_message_id: second.message_id,
        oldest_at: second.created_at,
      });
      await shop.messages.acknowledges(first);
      await shop.messages.acknowledges(second);
      expect(await waiting()).toBeUndefined();
      const listed = await person.messages.lists(person.connection);
      expect(listed.filter(({ from }) => from === 'person').map(({ read_at }) => read_at)).not.toContain(null);

      const [{ unread, oldest_message_id: message_id } = { unread: 0, oldest_message_id: '' }] = await person.messages.unread();
      expect(unread).toBe(1);
      await person.messages.reads({ ...onConnection(person), message_id });
      expect(await person.messages.unread()).toEqual([]);
      await hears(shop);
    });

    it('are stored once when the same ciphertext or idempotency key is sent again, also concurrently', async () => {
      const body = await person.sealsFor(person.connection.service, 'Once only');
      const answers = await Promise.all([1, 2, 3].map(() => person.messages.sends(person.connection.id, body)));
      const reply = await shop.sealsFor(person, 'Once only too');
      const replies = await Promise.all([1, 2, 3].map(() => shop.messages.sends(person.connection.id, reply)));

      const keyed = async (idempotency_key: string) =>
        shop.asks(messages.sendMessage, {
          params: { connectionId: person.connection.id },
          body: { body: await shop.sealsFor(person, 'Sealed anew'), idempotency_key },
        });
      expect(await keyed('answer-1')).toEqual(await keyed('answer-1'));
      expect(await keyed('answer-1')).not.toEqual(await keyed('answer-2'));

      expect(new Set(answers.map(({ message_id }) => message_id)).size).toBe(1);
      expect(new Set(replies.map(({ message_id }) => message_id)).size).toBe(1);
      expect(await heard(shop)).toHaveLength(1);
    });

    it('are refused when they are plaintext, too long or for an unknown connection @spec D1-7', async () => {
      const long = JSON.stringify({ ...JSON.parse(await shop.sealsFor(person, 'x')), d: 'A'.repeat(MESSAGE_CHARS) });
      const before = await stored(person.connection.id);

      await expect(person.messages.sends(person.connection.id, 'hello')).rejects.toEqual(plaintext);
      await expect(shop.messages.sends(person.connection.id, 'hello')).rejects.toEqual(plaintext);
      await expect(shop.messages.sends(person.connection.id, long)).rejects.toEqual(refused('request.invalid', 400));
      await expect(person.messages.sends('conn_none', await shop.sealsFor(person, 'x'))).rejects.toEqual(unknownConnection);
      expect(await stored(person.connection.id)).toEqual(before);
    });

    it('are accessible only to the two sides of the connection', async () => {
      const other = region === 'eu' ? ben : ana;
      const [theirs] = await person.messages.lists(person.connection);
      const body = await shop.sealsFor(person, 'not yours');

      await expect(other.messages.lists(person.connection)).rejects.toEqual(unknownConnection);
      await expect(other.messages.sends(person.connection.id, body)).rejects.toEqual(unknownConnection);
      await expect(other.messages.reads(theirs!)).rejects.toEqual(unknownConnection);
      await expect(moving.world.boltShop.messages.sends(person.connection.id, body)).rejects.toEqual(unknownConnection);
      await expect(moving.world.boltShop.messages.acknowledges(theirs!)).rejects.toEqual(unknownConnection);
    });
  });

  it('are acknowledged only up to a message of the other side on the same connection @spec D1-4.2', async () => {
    const [mine, others] = [await shop.messages.writes(onConnection(ana), ana, 'mine'), await ben.messages.writes(ben.connection, 'his')];
    const request = await ana.messages.writes(ana.connection, 'hers');

    for (const message_id of [mine.message_id, others.message_id, 'msg_none', 'no id'])
      await expect(shop.messages.acknowledges({ ...onConnection(ana), message_id })).rejects.toEqual(noBoundary);
    for (const message_id of [request.message_id, others.message_id, 'msg_none'])
      await expect(ana.messages.reads({ ...onConnection(ana), message_id })).rejects.toEqual(noBoundary);

    const [invalid, params] = [refused('request.invalid', 400), { connectionId: ana.connection.id }];
    const more = { message_id: request.message_id, more: true };
    await expect(shop.asks(messages.acknowledgeMessages, { params, body: more as never })).rejects.toEqual(invalid);
    await expect(ana.messages.reads({ connection_id: 'no id', message_id: mine.message_id })).rejects.toEqual(invalid);
    await expect(ana.messages.sends('no id', await shop.sealsFor(ana, 'x'))).rejects.toEqual(invalid);

    await Promise.all([1, 2, 3].map(() => shop.messages.acknowledges(request)));
    expect((await shop.messages.unread()).map(({ connection_id }) => connection_id)).toEqual([ben.connection.id]);
    await hears(shop);
  });

  it('are broadcast to all recipients or to none @gap D1-4.7', async () => {
    const to = async (person: Customer, text: string) => ({ ...onConnection(person), body: await shop.sealsFor(person, text) });
    const both = [await to(ana, 'Sale'), await to(ben, 'Sale'), await to(ana, 'Sale ends')];
    const before = (await stored(ana.connection.id)).length;

    await expect(shop.messages.broadcasts([...both, { ...both[0]!, connection_id: 'conn_none' }])).rejects.toEqual(unknownConnection);
    await expect(shop.messages.broadcasts([...both, { ...both[0]!, body: 'Sale' }])).rejects.toEqual(plaintext);
    await expect(shop.messages.broadcasts([])).rejects.toEqual(refused('request.invalid', 400));
    expect(BROADCAST_MESSAGES).toBe(1000);
    expect(await stored(ana.connection.id)).toHaveLength(before);

    const sent = await shop.messages.broadcasts([...both, both[0]!]);
    expect(sent.map(({ connection_id }) => connection_id)).toEqual([ana, ben, ana, ana].map(({ connection }) => connection.id));
    expect(sent[3]).toEqual(sent[0]);
    expect(await shop.messages.broadcasts(both)).toEqual(sent.slice(0, 3));
    const [last, first] = await ana.messages.lists(ana.connection);
    expect([await ana.opens(first!.body), await ana.opens(last!.body)]).toEqual(['Sale', 'Sale ends']);
    expect(await ben.opens((await ben.messages.lists(ben.connection))[0]!.body)).toBe('Sale');
  });

  it('are listed newest first, in pages that fit into a bus message', async () => {
    const wrapper = JSON.parse(await shop.sealsFor(ben, 'x')) as object;
    const heavy = (nth: number) => JSON.stringify({ ...wrapper, d: `${String(nth).padStart(4, '0')}${'A'.repeat(60_000)}` });
    const sent = await shop.messages.broadcasts(Array.from({ length: 15 }, (_, nth) => ({ ...onConnection(ben), body: heavy(nth) })));
    const pages = [await ben.messages.page(ben.connection.id)];
    while (pages.at(-1)!.next_cursor !== null)
      pages.push(await ben.messages.page(ben.connection.id, { cursor: pages.at(-1)!.next_cursor! }));
    const ids = pages.flatMap(({ items }) => items.map(({ message_id }) => message_id));

    expect(pages[0]!.items).toHaveLength(13);
    expect(ids.slice(0, 15)).toEqual(sent.map(({ message_id }) => message_id).toReversed());
    expect(new Set(ids).size).toBe(ids.length);
    expect((await ben.messages.page(ben.connection.id, { limit: 2 })).items).toHaveLength(2);
    const invalid = refused('request.invalid', 400);
    await expect(ben.messages.page(ben.connection.id, { cursor: 'no cursor' })).rejects.toEqual(invalid);
    await expect(shop.asks(messages.listUnreadMessages, { query: { cursor: 'no cursor' } })).rejects.toEqual(invalid);
  });

  describe('when the company moves', () => {
    let company: Company;
    let backend: Backend;
    let carl: Customer;
    beforeAll(async () => {
      company = await moving.world.signsUp({ type: 'company', region: 'eu', level: 'pro' });
      const { id, share_code } = await moving.creates(company, 'Club');
      const client = await company.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
      backend = moving.world.backendOf(company, { ...client, service_id: id } as never);
      const hook = { params: { id }, body: { url: 'https://hooks.example/in', events: ['message_received' as const] } };
      const { id: webhook_id } = await company.asks(webhooks.createWebhook, hook);
      carl = await customer('eu', `${company.share_code}/${share_code}`);
      await hears(backend);
      webhook = webhook_id;
    });
    let webhook: string;

    it('are queued alike for the feed and for a webhook @spec D1-1', async () => {
      const sent = await carl.messages.writes(carl.connection, 'To both channels');
      const [pulled] = await heard(backend);
      const [pushed] = (await backend.feed.drains({ webhook_id: webhook })).events;

      expect({ ...pushed, id: 'one' }).toEqual({ ...pulled, id: 'one' });
      expect(pulled).toMatchObject({ event: 'message_received', message_id: sent.message_id });
    });

    it('move with the company, and continue in the new region', async () => {
      const before = await carl.messages.lists(carl.connection);
      await moving.moves(company, 'us');
      await moving.arrives(company);

      expect(await carl.messages.lists(carl.connection)).toEqual(before);
      await carl.messages.writes(carl.connection, 'Still there?');
      expect(await backend.messages.unread()).toEqual([expect.objectContaining({ unread: 2 })]);
      await backend.messages.acknowledges((await carl.messages.lists(carl.connection))[0]!);
      expect(await backend.messages.unread()).toEqual([]);
    });

    it('are deleted with the connection', async () => {
      await carl.connections.disconnects(carl.connection);
      const left = (name: 'region_eu' | 'region_us') =>
        one(moving.internals.database(name), sql`select 1 from message where connection_id = ${carl.connection.id} limit 1`);

      expect([await left('region_eu'), await left('region_us')]).toEqual([undefined, undefined]);
      await expect(carl.messages.lists(carl.connection)).rejects.toEqual(unknownConnection);
      await expect(
        backend.asks(messages.sendMessage, {
          params: { connectionId: carl.connection.id },
          body: { body: await backend.sealsFor(carl, 'x') },
        }),
      ).rejects.toEqual(unknownConnection);
    });
  });
});
