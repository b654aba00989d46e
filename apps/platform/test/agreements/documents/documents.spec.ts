import { createHash } from 'node:crypto';
import { documents, services, type EventName, type Request } from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import { comesTrue } from '@codase/testing';
import { envelope, refused } from '../../sharing/connections/connections-world.ts';
import { CANCELLABLE, CONTRACT, DocumentsWorld, type NewDocument } from './documents-world.ts';
import { recipientDocuments } from './recipient-documents.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { longDocuments } from './long-documents.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';

const SHA256 = createHash('sha256').update('%PDF-1.7').digest('hex');

describe('documents @spec D1-2.12 @spec D1-3.3 @spec D1-4.7', () => {
  const given = new DocumentsWorld();
  const { broadcasts, connected, creates, dayAfter, eventsOf, holds, kindsOf, sealed, today } = given;
  beforeAll(given.open);
  afterAll(() => given.close());

  describe('documents created by a service', () => {
    it.each([
      [{ requires_signature: true, requires_acceptance: true }, 'ready_to_sign'],
      [{ requires_acceptance: true }, 'offering'],
      [CONTRACT, 'active'],
      [{}, 'active'],
    ])('with the terms %p have the initial status %s', async (terms, status) => {
      const document = await given.shop.documents.issues(given.ana, terms);

      expect(document).toEqual({
        id: expect.stringMatching(/^doc_/),
        name: 'Offer',
        kind: 'document',
        payload_kind: 'json',
        requires_signature: false,
        requires_acceptance: false,
        is_private: false,
        ...terms,
        status,
        metadata: { can_be_cancelled_in_app: false },
        signatures: [],
        plain_sha256: null,
        sealed_at: null,
        cancel_effective_date: null,
        connection_id: given.connection.id,
        person_user_id: given.ana.user_id,
        flow_run_id: null,
        created_at: expect.any(String),
      });
      expect(await given.shop.documents.reads(document)).toEqual(document);
      expect(await eventsOf(document)).toEqual([
        {
          event: 'document_created',
          person_user_id: given.ana.user_id,
          share_code: given.ana.share_code,
          at: document.created_at,
          document_id: document.id,
          name: 'Offer',
          kind: document.kind,
          payload_kind: 'json',
        },
      ]);
    });

    it('are sealed to their recipient, addressed by connection, person or share code, and unreadable to the company', async () => {
      const file = await sealed(given.ana, 'the very bytes');
      const body = { name: 'Bill', payload_kind: 'file', is_private: true, file } as const;
      const targets = [{ connection_id: given.connection.id }, { person_user_id: given.ana.user_id }, { share_code: given.ana.share_code }];

      for (const target of targets) {
        const document = await creates({ ...body, target });
        expect(document).toMatchObject({ person_user_id: given.ana.user_id, connection_id: given.connection.id, is_private: true });
        const params = { id: document.id };
        await expect(given.shop.asks(documents.readDocumentFile, { params })).rejects.toEqual(
          refused('documents.recipient_encrypted', 409),
        );
        expect(await given.ana.documents.fetches(document)).toEqual({ encrypted: true, value: file });
      }
      expect(await given.ana.opens(file)).toBe('the very bytes');
    });

    it('are for all and in plaintext when they have no target', async () => {
      const document = await broadcasts();
      const said = await creates({ name: 'Hours', payload_kind: 'json', value: '{"open":"9–17"}' });

      const file = { content_type: 'application/pdf', bytes: new Uint8Array(Buffer.from('Terms of 2026')) };
      expect(await given.shop.asks(documents.readDocumentFile, { params: { id: document.id } })).toEqual(file);
      expect(await given.ana.documents.fetches(document)).toEqual(file);
      const clear = { encrypted: false, value: '{"open":"9–17"}' };
      expect(await given.shop.asks(documents.readDocumentFile, { params: { id: said.id } })).toEqual(clear);
      expect(await given.ana.documents.fetches(said)).toEqual(clear);
      expect(await kindsOf(document)).toEqual([]);
    });

    it('return a JSON file as it was uploaded', async () => {
      const document = await creates({ name: 'Prices', payload_kind: 'file', file: envelope('application/json', '{"tea":1}') });

      const file = { content_type: 'application/json', bytes: new Uint8Array(Buffer.from('{"tea":1}')) };
      expect(await given.shop.asks(documents.readDocumentFile, { params: { id: document.id } })).toEqual(file);
      expect(await given.ana.documents.fetches(document)).toEqual(file);
    });

    it.each<[string, () => Partial<NewDocument> | Promise<Partial<NewDocument>>, Parameters<typeof refused>]>([
      ['a contract for all', () => ({ ...CONTRACT, value: '{}' }), ['documents.contract_requires_person', 400]],
      [
        'clear text for one',
        () => ({ target: { share_code: given.ana.share_code }, value: '{}' }),
        ['contact_data.encryption_required', 400],
      ],
      [
        'a file to sign without its digest',
        async () => ({
          payload_kind: 'file',
          requires_signature: true,
          target: { person_user_id: given.ana.user_id },
          file: await sealed(given.ana),
        }),
        ['request.invalid', 400],
      ],
      ['text that is no JSON for all', () => ({ value: 'hello' }), ['request.invalid', 400]],
      [
        'a file that is longer than it says',
        () => ({ payload_kind: 'file', file: { ...envelope('application/pdf', 'x'), size: 2 } }),
        ['request.invalid', 400],
      ],
      [
        'a file that is too long',
        () => ({ payload_kind: 'file', file: { ...envelope('application/pdf', 'x'), size: 26 * 1024 * 1024 } }),
        ['documents.too_large', 400],
      ],
      [
        'somebody who is not connected',
        async () => ({ target: { share_code: 'NOBODY' }, value: await sealed(given.ana) }),
        ['company_data.connection_not_found', 404],
      ],
    ])('are refused: %s', async (_, given, refusal) => {
      const body = { name: 'Offer', payload_kind: 'json', ...(await given()) } as NewDocument;

      await expect(creates(body)).rejects.toEqual(refused(...refusal));
    });

    it('are listed newest first, in pages, by connection and by status', async () => {
      const { person, connection: own } = await connected();
      const issued = [];
      for (const terms of [{}, { requires_acceptance: true }, {}]) {
        issued.unshift(await given.shop.documents.issues(person, terms));
        await given.world.passes({ seconds: 1 });
      }
      const lists = (query: Request<typeof documents.listDocuments>['query']) =>
        given.shop.asks(documents.listDocuments, { query: { connection_id: own.id, ...query } });

      const first = await lists({ limit: 2 });
      expect(first.items).toEqual(issued.slice(0, 2));
      expect(await lists({ limit: 2, cursor: first.next_cursor! })).toEqual({ items: issued.slice(2), next_cursor: null });
      expect((await lists({ status: 'offering' })).items).toEqual([issued[1]]);
      await expect(lists({ cursor: 'nonsense' })).rejects.toEqual(refused('request.invalid', 400));
      expect((await person.documents.list({ limit: 2, connection_id: own.id })).map(({ id }) => id)).toEqual(
        issued.slice(0, 2).map(({ id }) => id),
      );
    });
  });

  describe('documents changed by a service @spec D1-4.2', () => {
    it('get another name and other metadata', async () => {
      const document = await given.shop.documents.issues(given.ana);

      const changed = await given.shop.documents.changes(document, { name: 'Bill', metadata: { order: 7 } });

      expect(changed).toEqual({ ...document, name: 'Bill', metadata: { order: 7, can_be_cancelled_in_app: false } });
      await given.shop.documents.changes(document, {});
      expect(await kindsOf(document)).toEqual(['document_created', 'document_updated']);
    });

    it('remain cancellable on the phone unless the service says otherwise', async () => {
      const contract = await given.shop.documents.issues(given.ana, CANCELLABLE);
      const changes = async (metadata: Record<string, string | boolean>) =>
        (await given.shop.documents.changes(contract, { metadata })).metadata;

      expect(await changes({ note: 'paid' })).toEqual({ note: 'paid', can_be_cancelled_in_app: true });
      expect(await changes({ can_be_cancelled_in_app: false })).toEqual({ can_be_cancelled_in_app: false });
    });

    it.each([
      ['active', { status: 'active_but_ending', cancel_effective_date: '2999-01-01' }],
      ['active', { status: 'ended' }],
      ['active_but_ending', { status: 'ended' }],
      ['ready_to_sign', { status: 'ended' }],
      ['offering', { status: 'ended' }],
    ] as const)('change from %s by %p, without an action of the person @gap D1-3.3', async (status, change) => {
      const document = await holds(status);
      await given.world.passes({ seconds: 1 });

      expect(await given.shop.documents.changes(document, change)).toMatchObject(change);
      expect((await kindsOf(document)).at(-1)).toBe('document_updated');
      expect(await kindsOf(document)).not.toContain('document_status_changed');
    });

    it.each([
      ['active', 'active'],
      ['active', 'offering'],
      ['ready_to_sign', 'active'],
      ['offering', 'active'],
      ['active_but_ending', 'active'],
      ['ended', 'active'],
      ['ended', 'ended'],
    ] as const)('cannot change from %s to %s', async (status, wanted) => {
      const document = await holds(status);

      await expect(given.shop.documents.changes(document, { status: wanted })).rejects.toEqual(
        refused('documents.transition_invalid', 409),
      );
      expect(await given.shop.documents.reads(document)).toEqual(document);
    });

    it('need a future date when they are to end later', async () => {
      const document = await holds('active');
      const ends = (cancel_effective_date?: string) =>
        given.shop.documents.changes(document, { status: 'active_but_ending', ...(cancel_effective_date && { cancel_effective_date }) });

      await expect(ends()).rejects.toEqual(refused('request.invalid', 400));
      await expect(ends(today())).rejects.toEqual(refused('request.invalid', 400));
      await expect(given.shop.documents.changes(document, { cancel_effective_date: dayAfter(1) })).rejects.toEqual(
        refused('request.invalid', 400),
      );
    });
  });

  describe('replacing the file of a document', () => {
    const signable = { name: 'Lease', payload_kind: 'file', requires_signature: true, plain_sha256: SHA256 } as const;
    const replaces = ({ id }: { id: string }, body: Request<typeof documents.replaceDocumentFile>['body']) =>
      given.shop.asks(documents.replaceDocumentFile, { params: { id }, body });
    const lease = async (terms: Partial<NewDocument> = {}) =>
      creates({ ...signable, target: { person_user_id: given.ana.user_id }, file: await sealed(given.ana), ...terms } as NewDocument);

    it('stores the new file and its digest', async () => {
      const document = await lease();
      const [file, plain_sha256] = [await sealed(given.ana, 'another'), SHA256.replace(/^./, 'f')];

      expect(await replaces(document, { file, plain_sha256 })).toEqual({ id: document.id, plain_sha256 });
      expect(await given.ana.documents.fetches(document)).toEqual({ encrypted: true, value: file });
      expect(await kindsOf(document)).toEqual(['document_created', 'document_updated']);
      const terms = await broadcasts();
      await replaces(terms, { file: envelope('text/plain', 'Terms of 2027') });
      expect(await given.ana.documents.fetches(terms)).toMatchObject({ content_type: 'text/plain' });
    });

    it('is refused when the contract is in force or ended', async () => {
      const document = await lease({ requires_signature: false, ...CONTRACT, plain_sha256: undefined } as Partial<NewDocument>);
      const file = await sealed(given.ana, 'another');

      await expect(replaces(document, { file })).rejects.toEqual(refused('documents.contract_immutable', 409));
      await given.shop.documents.changes(document, { status: 'ended' });
      await expect(replaces(document, { file })).rejects.toEqual(refused('documents.contract_immutable', 409));
    });

    it('is refused when the file does not match the document', async () => {
      const [document, said, terms] = [await lease(), await given.shop.documents.issues(given.ana), await broadcasts()];
      const file = await sealed(given.ana);

      await expect(replaces(document, { file: envelope('application/pdf', 'x'), plain_sha256: SHA256 })).rejects.toEqual(
        refused('contact_data.encryption_required', 400),
      );
      await expect(replaces(document, { file })).rejects.toEqual(refused('request.invalid', 400));
      await expect(replaces(said, { file })).rejects.toEqual(refused('request.invalid', 400));
      await expect(replaces(terms, { file })).rejects.toEqual(refused('request.invalid', 400));
      await expect(replaces(terms, { file: { ...envelope('text/plain', 'x'), size: 26 * 1024 * 1024 } })).rejects.toEqual(
        refused('documents.too_large', 400),
      );
      await expect(replaces({ id: 'doc_none' }, { file })).rejects.toEqual(refused('documents.not_found', 404));
    });
  });

  longDocuments(given);
  recipientDocuments(given);

  it('are deleted unless they are contracts in force', async () => {
    for (const status of ['offering', 'ready_to_sign', 'active', 'ended']) {
      const document = await holds(status);
      await given.shop.documents.deletes(document);
      await expect(given.shop.documents.reads(document)).rejects.toEqual(refused('documents.not_found', 404));
      await expect(given.ana.documents.reads(document)).rejects.toEqual(refused('documents.not_found', 404));
      expect((await kindsOf(document)).at(-1)).toBe('document_deleted');
    }
    const contract = await given.shop.documents.issues(given.ana, CONTRACT);
    await expect(given.shop.documents.deletes(contract)).rejects.toEqual(refused('documents.contract_immutable', 409));
    await given.shop.documents.changes(contract, { status: 'ended' });
    await given.shop.documents.deletes(contract);
    await expect(given.shop.documents.deletes(contract)).rejects.toEqual(refused('documents.not_found', 404));
  });

  it('an acceptance concurrent with a disconnect never leaves a contract in force without its connection', async () => {
    const { person: dora, connection: hers } = await connected();
    const offer = await given.shop.documents.issues(dora, { ...CONTRACT, requires_acceptance: true });
    const holder = given.db.createQueryRunner();
    await holder.startTransaction();
    await execute(holder.manager, sql`select from connection where connection_id = ${hers.id} for update`);
    const acts = Promise.allSettled([dora.documents.accepts(offer), dora.connections.disconnects(hers)]);
    await comesTrue(async () => expect(await lockWaits(given.db)).toBeGreaterThan(0), 20);
    await holder.commitTransaction();
    await holder.release();
    await acts;

    const { status } = await given.shop.documents.reads(offer);
    const isConnected = await dora.connections.connects('ACME/SHOP').then(
      () => false,
      () => true,
    );
    expect([status, isConnected]).toEqual(status === 'active' ? ['active', true] : ['ended', false]);
  });

  it('raise feed events, of which only the latest status of a document is delivered @spec D1-6.2', async () => {
    for (let isMore = true; isMore;) isMore = (await given.shop.feed.drains()).more;
    const document = await given.shop.documents.issues(given.ana, { ...CANCELLABLE, requires_acceptance: true });
    await given.ana.documents.accepts(document);
    await given.ana.documents.cancels(document, dayAfter(5));

    const { events } = await given.shop.feed.drains();

    const own = events.filter((event) => 'document_id' in event && event.document_id === document.id);
    expect(own.map(({ event }) => event)).toEqual<EventName[]>(['document_created', 'document_status_changed']);
    expect(own[1]).toMatchObject({ status: 'active_but_ending', action: 'cancelled', cancel_effective_date: dayAfter(5) });
  });

  it('are deleted with their service, and recipients of every region get an event for each @spec D1-6.1', async () => {
    await execute(given.db, sql`update document set status = 'ended' where status like 'active%'`);
    const recipients = [(await connected('eu')).person, (await connected('us')).person];
    const stored = await Promise.all(
      recipients.map(async (person) => {
        const listening = person.phone.listens();
        await listening.hears('reset');
        return { person, listening, document: await given.shop.documents.issues(person, { requires_acceptance: true }) };
      }),
    );

    await given.world.acme.signsIn();
    const terms = await given.broadcasts();
    await execute(
      given.db,
      sql`
      insert into document
      select (jsonb_populate_record(d,
               jsonb_build_object('document_id', document_id || n, 'created_at', created_at + n * interval '1 hour'))).*
        from document d, generate_series(1, 30) n where document_id = ${terms.id}`,
    );
    let deletion: Promise<unknown> = Promise.resolve();
    await inOwnTransaction(given.db, async (tx) => {
      await execute(tx, sql`select from document where document_id = ${terms.id} || '30' for key share`);
      deletion = given.world.acme.asks(services.deleteService, { params: { id: given.shop.service_id! } });
      await comesTrue(async () => expect(await lockWaits(given.db, 'transactionid')).toBeGreaterThan(0));
      // The older ones are deleted for good while the newest one is locked.
      expect(await many(given.db, sql`select from document where document_id = ${terms.id}`)).toEqual([]);
    });
    await deletion;

    for (const { person, listening, document } of stored) {
      expect((await listening.hears('document_deleted')).data).toMatchObject({ document_id: document.id });
      expect(await person.documents.list()).toEqual([]);
      await listening.leaves();
    }
  });
});
