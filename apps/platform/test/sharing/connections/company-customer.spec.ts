import {
  accountClients,
  appDocuments,
  connections,
  contactData,
  customer,
  customerDocuments,
  customerFeed,
  customerMessages,
  documents,
  OPERATOR,
  personMessages,
  services,
  UPLOAD_CHARS,
  type CustomerEvent,
  type Request,
} from '@codase/contracts';
import { execute, one, sql, type Sql } from '@codase/runtime/db';
import { comesTrue, eventually, whenAvailable, World, type Backend, type Company, type OwnConnection } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DataSource, EntityManager } from 'typeorm';
import { ConnectionNotices } from '../../../src/sharing/connections/connection-notices.service.ts';
import { asksFor, hears, hearsOf, readsConnection, refused, type NewRow } from './connections-world.ts';

const PDF = readFileSync('libs/pdf/test/fixtures/producers/reportlab.pdf');
const NAME: NewRow = { slug: 'name', label: 'Name of the company', type: 'text', mandatory: true, audience: 'company' };
const SITE: NewRow = { slug: 'site', label: 'Website', type: 'url', audience: 'both' };
const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email', audience: 'both' };
const BORN: NewRow = { slug: 'born', label: 'Date of birth', type: 'date', audience: 'person' };

/** Runs a transaction that leaves nothing behind. */
async function rolledBack(db: DataSource, work: (tx: EntityManager) => Promise<void>): Promise<void> {
  const runner = db.createQueryRunner();
  await runner.startTransaction();
  try {
    await work(runner.manager);
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

/** Nova lives in eu like Acme, and Bolt lives in us. Nova is a customer of both, by an account client. */
describe('a company as a customer @spec D1-5.8', () => {
  let world: World;
  let nova: Company;
  let robot: Backend;
  let shop: Backend;
  let desk: Backend;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    [shop, desk] = [world.shop, world.boltShop];
    await asksFor(world.acme, shop.service_id!, [NAME, SITE, BORN]);
    await asksFor(world.bolt, desk.service_id!, [NAME, MAIL]);
    nova = await world.signsUp({ type: 'company', region: 'eu', display_name: 'Nova' });
    robot = await clientOf(nova, ['customer_connections']);
  });
  afterAll(() => world?.close());

  async function clientOf(company: Company, capabilities: Request<typeof accountClients.createAccountClient>['body']['capabilities']) {
    const client = await company.asks(accountClients.createAccountClient, { body: { name: `robot ${capabilities.join()}`, capabilities } });
    return world.backendOf(company, client);
  }

  const said = (event: string, { id, service }: OwnConnection) => ({
    id: expect.stringMatching(/^cevt_/),
    event,
    service_id: service.service_id,
    connection_id: id,
    at: expect.any(String),
  });
  /** Drains until `times` events of a kind have come: events of another region come only after they are handed over. */
  const feedSays = async (kind: CustomerEvent['event'], times: number): Promise<CustomerEvent[]> => {
    const heard: CustomerEvent[] = [];
    return eventually(async () => {
      heard.push(...(await robot.asCustomer.drains()));
      return heard.filter(({ event }) => event === kind).length >= times ? heard : undefined;
    });
  };

  async function connectsToNewService(): Promise<OwnConnection> {
    const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
    const body = {
      name: 'Club',
      admin_email: 'club@acme.example',
      public_key,
      encrypted_private_key: { ...encrypted_private_key, iter: 100_000 as const },
    };
    const { share_code } = await world.acme.asks(services.createService, { body });
    return robot.asCustomer.connections.connects(`ACME/${share_code}`);
  }

  describe('connections', () => {
    let atShop: OwnConnection;
    let atDesk: OwnConnection;

    it('sees the request fields for companies, and connects in its own and in another region', async () => {
      const card = await robot.asks(customer.readServiceCard, { params: { companyCode: 'ACME', serviceCode: 'SHOP' } });
      expect(card.request_fields.map(({ slug }) => slug)).toEqual(['name', 'site']);

      atShop = await robot.asCustomer.connections.connects('ACME/SHOP', { name: 'Nova Ltd', site: 'https://nova.example' });
      await world.passes({ seconds: 1 });
      atDesk = await robot.asCustomer.connections.connects('BOLT/DESK', { name: 'Nova Ltd' });

      const created = { event: 'connection_created', customer_type: 'company', person_user_id: nova.user_id, share_code: nova.share_code };
      expect([...(await hears(shop)), ...(await hears(desk))]).toEqual([created, created].map((event) => expect.objectContaining(event)));
      const seen = await readsConnection(shop, atShop.id);
      expect(seen).toMatchObject({ customer_type: 'company', person_id: nova.user_id, display_name: 'Nova', share_code: nova.share_code });
      expect(await shop.opens(seen.values['name']!.value!)).toBe('Nova Ltd');
    });

    it('lists and reads its connections, at the portal and with its client', async () => {
      for (const caller of [robot, nova]) {
        expect(await caller.asks(customer.listCustomerConnections, { query: {} })).toEqual({ items: [atShop, atDesk], next_cursor: null });
        expect(await caller.asks(customer.readCustomerConnection, { params: { connectionId: atDesk.id } })).toEqual(atDesk);
      }
    });

    it('edits, drops and declines what it shares, with an event to each service', async () => {
      await robot.asCustomer.connections.shares(atShop, { site: 'https://nova.example/en' });
      await robot.asCustomer.connections.shares(atDesk, { name: 'Nova Inc' });
      expect([await hearsOf(shop), await hearsOf(desk)]).toEqual([['field_updated site'], ['field_updated name']]);
      expect(await desk.opens((await readsConnection(desk, atDesk.id)).values['name']!.value!)).toBe('Nova Inc');

      await robot.asCustomer.connections.drops(atShop, 'site');
      await robot.asCustomer.connections.declines(atShop, 'site');
      expect(await hearsOf(shop)).toEqual(['field_deleted site', 'consent_declined site']);
    });

    it("shares a live profile field, and an edit of the field updates the service's copy @spec D1-6.1", async () => {
      const edits = async (value: string, live: boolean) => {
        const copies = live ? [{ connection_id: atDesk.id, slug: 'mail', value: await robot.sealsFor(atDesk.service, value) }] : [];
        await nova.asks(contactData.putContactData, { params: { slug: 'email' }, body: { value, is_private: false, copies } });
      };
      await edits('old@nova.example', false);
      await robot.asCustomer.connections.shares(atDesk, { mail: { text: 'old@nova.example', from: 'email' } });
      await edits('new@nova.example', true);

      expect(await hearsOf(desk)).toEqual(['consent_accepted mail', 'field_updated mail']);
      expect(await desk.opens((await readsConnection(desk, atDesk.id)).values['mail']!.value!)).toBe('new@nova.example');
    });

    it.each([
      ['a client of the company without the group', () => clientOf(nova, ['service_management', 'company_profile_fields'])],
      ['a data client', async () => shop],
    ])('refuses access to %s', async (_, whose) => {
      const caller = await whose();
      await expect(caller.asks(customer.listCustomerConnections, { query: {} })).rejects.toEqual(forbidden);
      await expect(caller.asks(customer.disconnect, { params: { connectionId: atShop.id } })).rejects.toEqual(forbidden);
    });

    it('cannot see connections of another company', async () => {
      const notFound = refused('company_data.connection_not_found', 404);
      const params = { connectionId: atShop.id };

      expect((await world.boltAutomation.asks(customer.listCustomerConnections, { query: {} })).items).toEqual([]);
      await expect(world.boltAutomation.asks(customer.readCustomerConnection, { params })).rejects.toEqual(notFound);
      await expect(world.boltAutomation.asks(customer.disconnect, { params })).rejects.toEqual(notFound);
    });

    it('ends its connections, with an event to each service', async () => {
      await robot.asCustomer.connections.disconnects(atShop);
      await robot.asCustomer.connections.disconnects(atDesk);

      const deleted = expect.objectContaining({ event: 'connection_deleted', customer_type: 'company', person_user_id: nova.user_id });
      expect([...(await hears(shop)), ...(await hears(desk))]).toEqual([deleted, deleted]);
      expect((await robot.asks(customer.listCustomerConnections, { query: {} })).items).toEqual([]);
    });
  });

  describe('the customer feed @spec D1-4.6', () => {
    let atShop: OwnConnection;
    let atDesk: OwnConnection;
    beforeAll(async () => {
      atShop = await robot.asCustomer.connections.connects('ACME/SHOP', { name: 'Nova Ltd' });
      atDesk = await robot.asCustomer.connections.connects('BOLT/DESK', { name: 'Nova Ltd' });
      await feedSays('connection_deleted', 2); // of the connections that Nova ended before
    });

    const ends = (backend: Backend, { id }: OwnConnection) => backend.asks(connections.endConnection, { params: { connectionId: id } });
    it('informs once that a service requests more fields from companies, not that it requests more from persons', async () => {
      const phone = { slug: 'phone', label: 'Phone', type: 'phone' };
      await asksFor(world.acme, shop.service_id!, [NAME, SITE, BORN, { ...phone, audience: 'person' }]);
      expect(await robot.asCustomer.drains()).toEqual([]);

      await asksFor(world.acme, shop.service_id!, [NAME, SITE, BORN, { ...phone, audience: 'both' }]);
      await asksFor(world.acme, shop.service_id!, [NAME, SITE, { ...phone, slug: 'fax', audience: 'company' }]);
      expect(await robot.asCustomer.drains()).toEqual([said('fields_requested', atShop)]);
      await asksFor(world.bolt, desk.service_id!, [NAME, MAIL, { ...phone, audience: 'both' }]);
      expect(await feedSays('fields_requested', 1)).toEqual([said('fields_requested', atDesk)]);
    });

    it('informs more than a thousand customers while locking at most 500 homes', async () => {
      const db = await world.opensDatabase('region_eu');
      const own = { company_user_id: world.acme.user_id, service_id: shop.service_id! };
      const count = async (tx: EntityManager, query: Sql) => (await one<{ count: number }>(tx, query))!.count;
      try {
        await rolledBack(db, async (tx) => {
          await execute(
            tx,
            sql`
            insert into profile (user_id, type, display_name, language, share_code, public_key, created_at)
            select 'usr_many_' || n, 'company', 'Many', 'en', 'MANY' || n, '', now() from generate_series(1, 1200) n`,
          );
          await execute(
            tx,
            sql`
            insert into connection (connection_id, company_user_id, service_id, customer_user_id, customer_type, display_name, share_code,
                                    public_key, connected_at)
            select 'conn_many_' || n, ${own.company_user_id}, ${own.service_id}, 'usr_many_' || n, 'company', 'Many', 'MANY' || n, '', now()
              from generate_series(1, 1200) n`,
          );
          await new ConnectionNotices().moreIsRequired(tx, own, new Date());

          const locks = sql`select count(*)::int as count from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`;
          expect(await count(tx, locks)).toBeLessThanOrEqual(500);
          const reported = sql`
            select count(distinct user_id)::int as count from (
              select channel as user_id from feed_event union all select user_id from customer_event_outbox) told
             where user_id like 'usr_many_%'`;
          expect(await count(tx, reported)).toBe(1200);
        });
      } finally {
        await db.destroy();
      }
    });

    it('is only for clients of the company that have the capability group', async () => {
      const ofOthers = [await clientOf(nova, ['service_management']), shop, world.person('ANA')];
      for (const caller of ofOthers) {
        await expect(caller.asks(customerFeed.drainCustomerChanges, {})).rejects.toEqual(forbidden);
      }
    });

    it('informs of a connection that a service ended, and informs no other company @spec D1-4.2', async () => {
      const ben = world.person('BEN');
      const atHome = await ben.connections.connects('ACME/SHOP');
      const listening = ben.phone.listens();
      await listening.hears('reset');
      await ends(shop, atShop);
      await ends(shop, atHome);
      await ends(desk, atDesk);

      expect(await feedSays('connection_deleted', 2)).toEqual([said('connection_deleted', atShop), said('connection_deleted', atDesk)]);
      expect((await listening.hears('connection_deleted')).data).toEqual({ connection_id: atHome.id });
      expect(await world.boltAutomation.asCustomer.drains()).toEqual([]);
      expect((await robot.asks(customer.listCustomerConnections, { query: {} })).items).toEqual([]);
      await listening.leaves();
    });

    it('informs of a connection that the company ended at the portal, or that ended with the service', async () => {
      const [first, second] = [await nova.asCustomer.connections.connects('BOLT/DESK', { name: 'Nova' }), await connectsToNewService()];
      await nova.asCustomer.connections.disconnects(first);
      await world.acme.asks(services.deleteService, { params: { id: second.service.service_id } });

      const heard = await feedSays('connection_deleted', 2);
      expect(heard.map(({ connection_id }) => connection_id).toSorted()).toEqual([first.id, second.id].toSorted());
    });
  });

  describe('messages @spec D1-4.2', () => {
    let atShop: OwnConnection;
    let atDesk: OwnConnection;
    beforeAll(async () => {
      await asksFor(world.acme, shop.service_id!, []);
      await asksFor(world.bolt, desk.service_id!, []);
      atShop = await robot.asCustomer.connections.connects('ACME/SHOP');
      atDesk = await robot.asCustomer.connections.connects('BOLT/DESK');
      await Promise.all([robot.asCustomer.drains(), hears(shop), hears(desk)]);
    });

    it('writes to a service of each region, and gets an answer sealed to the key of the event @spec D1-6.1', async () => {
      for (const [backend, connection] of [
        [shop, atShop],
        [desk, atDesk],
      ] as const) {
        const sent = await robot.asCustomer.messages.writes(connection, 'Two pallets, please');

        const [event] = await hears(backend);
        const about = { event: 'message_received', person_user_id: nova.user_id, share_code: nova.share_code, message_id: sent.message_id };
        expect(event).toMatchObject({ ...about, connection_id: connection.id, person_public_key: nova.public_key });
        expect(await backend.opens((event as { body: string }).body)).toBe('Two pallets, please');
        const { person_public_key: public_key } = event as { person_public_key: string };
        const answer = await backend.messages.writes({ connection_id: connection.id }, { public_key }, 'On Monday');

        expect(await feedSays('message_received', 1)).toEqual([{ ...said('message_received', connection), message_id: answer.message_id }]);
        const [newest, oldest] = await robot.asCustomer.messages.lists(connection);
        expect([newest, oldest]).toMatchObject([
          { from: 'company', message_id: answer.message_id },
          { from: 'person', read_at: null },
        ]);
        expect(await robot.opens(newest!.body)).toBe('On Monday');
      }
    });

    it('counts unread messages, marks them as read, and sees read receipts of the services', async () => {
      expect((await robot.asCustomer.messages.unread()).map(({ connection_id, unread }) => [connection_id, unread])).toEqual([
        [atShop.id, 1],
        [atDesk.id, 1],
      ]);
      const [newest, oldest] = await nova.asCustomer.messages.lists(atDesk);
      await nova.asCustomer.messages.reads(newest!);
      await desk.messages.acknowledges(oldest!);

      expect(await robot.asCustomer.messages.unread()).toHaveLength(1);
      expect((await robot.asCustomer.messages.lists(atDesk)).map(({ read_at }) => typeof read_at)).toEqual(['string', 'string']);
    });

    it('gets each message of a broadcast as an event, and no event for a repeated call', async () => {
      const ana = world.person('ANA');
      const anas = await ana.connections.connects('ACME/SHOP');
      const messages = [
        { connection_id: atShop.id, body: await shop.sealsFor(nova, 'Sale') },
        { connection_id: anas.id, body: await shop.sealsFor(ana, 'Sale') },
        { connection_id: atShop.id, body: await shop.sealsFor(nova, 'Sale, again') },
      ];
      const sent = await shop.messages.broadcasts(messages);
      await shop.messages.broadcasts(messages);

      const heard = await feedSays('message_received', 2);
      expect(heard.map((event) => 'message_id' in event && event.message_id)).toEqual([sent[0]!.message_id, sent[2]!.message_id]);
      expect(await robot.asCustomer.drains()).toEqual([]);
    });

    it('gets events from another region later when its own region was paused', async () => {
      const operator = await world.operator('platform');
      await operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused: true });
      await comesTrue(() => expect(robot.asCustomer.drains()).rejects.toEqual(refused('db.writes_paused', 503)));
      const { message_id } = await desk.messages.writes({ connection_id: atDesk.id }, nova, 'Are you there?');

      await operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused: false });
      await comesTrue(async () => {
        await world.passes({ seconds: 1 });
        expect(await robot.asCustomer.drains()).toMatchObject([{ event: 'message_received', message_id }]);
      });
    });

    it('refuses the same invalid calls as for a person', async () => {
      const [newest] = await robot.asCustomer.messages.lists(atShop);
      const { messages } = robot.asCustomer;
      const [mine] = (await messages.lists(atShop)).filter(({ from }) => from === 'person');

      await expect(messages.sends(atShop.id, 'in the clear')).rejects.toEqual(refused('contact_data.encryption_required', 400));
      await expect(messages.sends('conn_other', newest!.body)).rejects.toEqual(refused('company_data.connection_not_found', 404));
      await expect(messages.lists({ id: 'conn_other' })).rejects.toEqual(refused('company_data.connection_not_found', 404));
      await expect(messages.page(atShop.id, { limit: 0 })).rejects.toEqual(refused('request.invalid', 400));
      await expect(messages.reads(mine!)).rejects.toEqual(refused('company_data.ack_boundary_invalid', 400));
      await expect(messages.reads({ ...newest!, connection_id: 'conn_other' })).rejects.toEqual(
        refused('company_data.connection_not_found', 404),
      );
      const unknown = { connection_id: 1, body: newest!.body } as never;
      await expect(robot.asks(customerMessages.writeMessage, { body: unknown })).rejects.toEqual(refused('request.invalid', 400));
      await expect(robot.asks(customerMessages.readMessages, { body: { ...newest, connection_id: 1 } as never })).rejects.toEqual(
        refused('request.invalid', 400),
      );
      await expect(robot.asks(personMessages.listUnread, {})).rejects.toEqual(forbidden);
    });
  });

  describe('documents @spec D1-2.12 @spec D1-3.3', () => {
    let atShop: OwnConnection;
    let received: Backend['asCustomer']['documents'];
    beforeAll(async () => {
      const { items } = await robot.asks(customer.listCustomerConnections, { query: {} });
      atShop = items.find(({ service }) => service.service_id === shop.service_id)!;
      received = robot.asCustomer.documents;
      await Promise.all([robot.asCustomer.drains(), hears(shop), hears(desk)]);
    });
    const SIGNER = { method: 'custodian', signer_first_name: 'Ada', signer_last_name: 'Example' } as const;
    const heard = async (times: number) =>
      (await feedSays('document_status_changed', times)).map((event) => ['document_id' in event && event.document_id, event.event]);

    it('gets a document addressed to it or to all, opens it, and gets events of its changes', async () => {
      const letter = await shop.documents.issues(nova, { value: '{"price":7}' });
      const terms = await shop.asks(documents.createDocument, {
        body: { name: 'Terms', payload_kind: 'json', value: '{"hours":"9 to 17"}' },
      });

      expect((await received.list()).map(({ id }) => id).sort()).toEqual([letter.id, terms.id].sort());
      expect(await received.list({ connection_id: atShop.id })).toEqual([letter]);
      expect(await nova.asCustomer.documents.reads(letter)).toEqual(letter);
      expect(await robot.opens(((await received.fetches(letter)) as { value: string }).value)).toBe('{"price":7}');
      expect(await robot.asCustomer.drains()).toEqual([{ ...said('document_created', atShop), document_id: letter.id }]);
      await shop.documents.changes(letter, { name: 'Letter' });
      await shop.documents.deletes(letter);
      const about = { document_id: letter.id };
      expect(await robot.asCustomer.drains()).toEqual([
        { ...said('document_updated', atShop), ...about },
        { ...said('document_deleted', atShop), ...about },
      ]);
    });

    it('signs a PDF of a service in another region, and both sides get the sealed copy', async () => {
      const lease = await desk.documents.issuesPdf(nova, PDF);
      await hears(desk);
      const signed = await whenAvailable(() => received.signs(lease, PDF, SIGNER));

      expect(signed).toMatchObject({ status: 'active', sealed_at: expect.any(String) });
      const [event] = await hears(desk);
      expect(event).toMatchObject({
        event: 'document_status_changed',
        person_user_id: nova.user_id,
        share_code: nova.share_code,
        status: 'active',
        action: 'signed',
        ...SIGNER,
        signer_name_verified: false,
        plain_sha256: lease.plain_sha256,
      });
      const pdfIn = (envelope: string) => Buffer.from((JSON.parse(envelope) as { file: string }).file.split(',')[1]!, 'base64');
      const copy = pdfIn(await robot.opens(((await received.fetches(lease)) as { value: string }).value));
      const theirs = await desk.asks(documents.readDocumentFile, { params: { id: lease.id } });
      expect(copy.subarray(0, PDF.length)).toEqual(PDF);
      expect(pdfIn(await desk.opens((theirs as { value: string }).value))).toEqual(copy);
      expect(await heard(1)).toEqual([
        [lease.id, 'document_created'],
        [lease.id, 'document_status_changed'],
      ]);
    });

    it('accepts, declines and cancels documents, and its feed has only the latest status of each @spec D1-6.2', async () => {
      const terms = { requires_acceptance: true, kind: 'subscription', metadata: { can_be_cancelled_in_app: true } } as const;
      const [one, other] = [await shop.documents.issues(nova, terms), await shop.documents.issues(nova, terms)];
      await hears(shop);
      await received.accepts(one);
      await expect(robot.asCustomer.connections.disconnects(atShop)).rejects.toEqual(refused('company_connections.active_contract', 409));
      await received.cancels(one);
      await received.declines(other);

      expect((await hears(shop)).map((event) => 'action' in event && [event.document_id, event.action])).toEqual([
        [one.id, 'cancelled'],
        [other.id, 'cancelled'],
      ]);
      expect(await heard(2)).toEqual([
        [one.id, 'document_created'],
        [other.id, 'document_created'],
        [one.id, 'document_status_changed'],
        [other.id, 'document_status_changed'],
      ]);
    });

    it('refuses the same invalid calls as for a person, and signing methods of a phone', async () => {
      const [lease, offer] = [
        await shop.documents.issuesPdf(nova, PDF),
        await shop.documents.issuesPdf(nova, PDF, { requires_acceptance: true }),
      ];
      const [invalid, notFound] = [refused('request.invalid', 400), refused('documents.not_found', 404)];
      const unknown = { id: 'doc_unknown' };
      await expect(received.list({ limit: 0 })).rejects.toEqual(invalid);
      await expect(received.signs(lease, PDF, { method: 'biometric' })).rejects.toEqual(invalid);
      await expect(received.accepts(offer)).rejects.toEqual(invalid);
      for (const act of ['reads', 'fetches', 'declines', 'cancels'] as const)
        await expect(received[act](unknown)).rejects.toEqual(notFound);
      await expect(received.signs(unknown, PDF, SIGNER)).rejects.toEqual(notFound);
      await expect(received.accepts(unknown, PDF)).rejects.toEqual(notFound);
      await expect(world.boltAutomation.asCustomer.documents.reads(lease)).rejects.toEqual(notFound);

      const body = { otherwise: true } as never;
      for (const contract of [customerDocuments.declineDocument, customerDocuments.cancelDocument])
        await expect(robot.asks(contract, { params: { id: lease.id }, body })).rejects.toEqual(invalid);
      const another = Buffer.concat([PDF, Buffer.from(' ')]);
      await expect(received.signs(lease, another, SIGNER)).rejects.toEqual(refused('documents.file_invalid', 400));
      await expect(received.accepts(offer, another)).rejects.toEqual(refused('documents.file_invalid', 400));
      const long = { otk: randomBytes(32).toString('base64'), file: 'A'.repeat(UPLOAD_CHARS + 4) };
      const tooLarge = refused('documents.too_large', 400);
      const signing = { params: { id: lease.id }, body: { ...SIGNER, ...long } };
      await expect(robot.asks(customerDocuments.signDocument, signing)).rejects.toEqual(tooLarge);
      await expect(robot.asks(customerDocuments.acceptDocument, { params: { id: offer.id }, body: long })).rejects.toEqual(tooLarge);
      const moved = refused('documents.transition_invalid', 409);
      await expect(received.signs(offer, PDF, SIGNER)).rejects.toEqual(moved);
      await expect(received.accepts(lease, PDF)).rejects.toEqual(moved);
      await expect(received.cancels(lease)).rejects.toEqual(moved);
      await received.declines(lease);
      await expect(received.declines(lease)).rejects.toEqual(moved);
      await expect(robot.asks(appDocuments.listReceivedDocuments, { query: {} })).rejects.toEqual(forbidden);
      await expect(nova.asks(appDocuments.listReceivedDocuments, { query: {} })).rejects.toEqual(forbidden);
    });

    it('refuses signing and accepting when the document cannot be sealed', async () => {
      const [lease, offer] = [
        await shop.documents.issuesPdf(nova, PDF),
        await shop.documents.issuesPdf(nova, PDF, { requires_acceptance: true }),
      ];
      const db = await world.opensDatabase('region_eu');
      await execute(
        db,
        sql`
        insert into seal_certificate (certificate_id, certificate_pem, chain_pem, sealed_key, created_at)
        values ('broken', '', '[]', 'nobodys:key', ${world.now})`,
      );
      await expect(received.signs(lease, PDF, SIGNER)).rejects.toEqual(refused('documents.seal_failed', 503));
      await expect(received.accepts(offer, PDF)).rejects.toEqual(refused('documents.seal_failed', 503));
      await execute(db, sql`delete from seal_certificate where certificate_id = 'broken'`);
      await db.destroy();

      expect([await received.reads(lease), await received.reads(offer)]).toEqual([lease, offer]);
      expect(await whenAvailable(() => received.accepts(offer, PDF))).toMatchObject({ status: 'active' });
    });
  });

  it('loses feed events that it did not drain for seven days @spec D1-8', async () => {
    const connection = await connectsToNewService();
    await robot.asCustomer.connections.disconnects(connection);
    await world.passes({ hours: 7 * 24 });
    await robot.getsToken();

    expect(await robot.asCustomer.drains()).toEqual([]);
  });
});

const forbidden = refused('auth.client_endpoint_forbidden', 403);
