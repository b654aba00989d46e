import { appDocuments, connections, customer, documents, services, type EventName, type FeedEvent, type Request } from '@cds/contracts';
import { many, openDatabase, sql } from '@cds/runtime/db';
import { comesTrue, World, type Backend, type OwnConnection, type Person } from '@cds/testing';
import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { envelope, refused } from './connections-world.ts';
import { lockWaits } from './lock-waits.ts';

type NewDocument = Request<typeof documents.createDocument>['body'];

const SHA256 = createHash('sha256').update('%PDF-1.7').digest('hex');
const CONTRACT = { kind: 'agreement' } as const;
const CANCELLABLE = { ...CONTRACT, metadata: { can_be_cancelled_in_app: true } } as const;

describe('documents @spec D1-2.12 @spec D1-3.3 @spec D1-4.7', () => {
  let world: World;
  let shop: Backend;
  let db: DataSource;
  let ana: Person;
  let connection: OwnConnection;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    shop = world.shop;
    db = await openDatabase({ url: world.databaseUrl('region_eu'), name: 'documents-test', pool: 3 });
    ({ person: ana, connection } = await connected());
  });
  afterAll(async () => {
    await db?.destroy();
    await world?.close();
  });

  const connected = async (region: 'eu' | 'us' = 'eu') => {
    const person = await world.signsUp({ type: 'person', region });
    return { person, connection: await person.connections.connects('ACME/SHOP') };
  };
  const creates = (body: NewDocument) => shop.asks(documents.createDocument, { body });
  /** A file in the clear, for all. */
  const broadcasts = (text = 'Terms of 2026') => creates({ name: 'Terms', payload_kind: 'file', file: envelope('application/pdf', text) });
  const sealed = (person: Person, text = 'sealed') => shop.sealsFor(person, text);
  /** What was queued for the service about a document, in order. */
  const eventsOf = async ({ id }: { id: string }): Promise<FeedEvent[]> => {
    const rows = await many<{ body: FeedEvent }>(
      db,
      sql`select body from feed_event where channel = ${shop.service_id} and body ->> 'document_id' = ${id} order by seq`,
    );
    return rows.map(({ body }) => body);
  };
  const kindsOf = async (document: { id: string }) => (await eventsOf(document)).map(({ event }) => event);
  const today = () => world.now.toISOString().slice(0, 10);
  const dayAfter = (days: number) => new Date(world.now.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  const holds = (status: string, terms = {}) =>
    ({
      ready_to_sign: () => shop.documents.issues(ana, { ...terms, requires_signature: true }),
      offering: () => shop.documents.issues(ana, { ...terms, requires_acceptance: true }),
      active: () => shop.documents.issues(ana, terms),
      active_but_ending: async () =>
        shop.documents.changes(await shop.documents.issues(ana, terms), {
          status: 'active_but_ending',
          cancel_effective_date: dayAfter(30),
        }),
      ended: async () => shop.documents.changes(await shop.documents.issues(ana, terms), { status: 'ended' }),
    })[status]!();

  describe('that a service creates', () => {
    it.each([
      [{ requires_signature: true, requires_acceptance: true }, 'ready_to_sign'],
      [{ requires_acceptance: true }, 'offering'],
      [CONTRACT, 'active'],
      [{}, 'active'],
    ])('with the terms %p begin as %s', async (terms, status) => {
      const document = await shop.documents.issues(ana, terms);

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
        connection_id: connection.id,
        person_user_id: ana.user_id,
        flow_run_id: null,
        created_at: expect.any(String),
      });
      expect(await shop.documents.reads(document)).toEqual(document);
      expect(await eventsOf(document)).toEqual([
        {
          event: 'document_created',
          person_user_id: ana.user_id,
          share_code: ana.share_code,
          at: document.created_at,
          document_id: document.id,
          name: 'Offer',
          kind: document.kind,
          payload_kind: 'json',
        },
      ]);
    });

    it('reach their recipient by connection, person or share code, sealed, and no company reads them', async () => {
      const file = await sealed(ana, 'the very bytes');
      const body = { name: 'Bill', payload_kind: 'file', is_private: true, file } as const;
      const targets = [{ connection_id: connection.id }, { person_user_id: ana.user_id }, { share_code: ana.share_code }];

      for (const target of targets) {
        const document = await creates({ ...body, target });
        expect(document).toMatchObject({ person_user_id: ana.user_id, connection_id: connection.id, is_private: true });
        const params = { id: document.id };
        await expect(shop.asks(documents.readDocumentFile, { params })).rejects.toEqual(refused('documents.recipient_encrypted', 409));
        expect(await ana.documents.fetches(document)).toEqual({ encrypted: true, value: file });
      }
      expect(await ana.opens(file)).toBe('the very bytes');
    });

    it('are for all where they have no target, and are read as they are', async () => {
      const document = await broadcasts();
      const said = await creates({ name: 'Hours', payload_kind: 'json', value: '{"open":"9–17"}' });

      const file = { content_type: 'application/pdf', bytes: new Uint8Array(Buffer.from('Terms of 2026')) };
      expect(await shop.asks(documents.readDocumentFile, { params: { id: document.id } })).toEqual(file);
      expect(await ana.documents.fetches(document)).toEqual(file);
      const clear = { encrypted: false, value: '{"open":"9–17"}' };
      expect(await shop.asks(documents.readDocumentFile, { params: { id: said.id } })).toEqual(clear);
      expect(await ana.documents.fetches(said)).toEqual(clear);
      expect(await kindsOf(document)).toEqual([]);
    });

    it.each<[string, () => Partial<NewDocument> | Promise<Partial<NewDocument>>, Parameters<typeof refused>]>([
      ['a contract for all', () => ({ ...CONTRACT, value: '{}' }), ['documents.contract_requires_person', 400]],
      ['clear text for one', () => ({ target: { share_code: ana.share_code }, value: '{}' }), ['contact_data.encryption_required', 400]],
      [
        'a file to sign without its digest',
        async () => ({
          payload_kind: 'file',
          requires_signature: true,
          target: { person_user_id: ana.user_id },
          file: await sealed(ana),
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
        async () => ({ target: { share_code: 'NOBODY' }, value: await sealed(ana) }),
        ['company_data.connection_not_found', 404],
      ],
    ])('are refused: %s', async (_, given, refusal) => {
      const body = { name: 'Offer', payload_kind: 'json', ...(await given()) } as NewDocument;

      await expect(creates(body)).rejects.toEqual(refused(...refusal));
    });

    it('are listed, the newest first, in pages, by connection and by status', async () => {
      const { person, connection: own } = await connected();
      const issued = [];
      for (const terms of [{}, { requires_acceptance: true }, {}]) {
        issued.unshift(await shop.documents.issues(person, terms));
        await world.passes({ seconds: 1 });
      }
      const lists = (query: Request<typeof documents.listDocuments>['query']) =>
        shop.asks(documents.listDocuments, { query: { connection_id: own.id, ...query } });

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

  describe('that a service changes @spec D1-4.2', () => {
    it('take another name and other metadata', async () => {
      const document = await shop.documents.issues(ana);

      const changed = await shop.documents.changes(document, { name: 'Bill', metadata: { order: 7 } });

      expect(changed).toEqual({ ...document, name: 'Bill', metadata: { order: 7, can_be_cancelled_in_app: false } });
      await shop.documents.changes(document, {});
      expect(await kindsOf(document)).toEqual(['document_created', 'document_updated']);
    });

    it.each([
      ['active', { status: 'active_but_ending', cancel_effective_date: '2999-01-01' }],
      ['active', { status: 'ended' }],
      ['active_but_ending', { status: 'ended' }],
      ['ready_to_sign', { status: 'ended' }],
      ['offering', { status: 'ended' }],
    ] as const)('move from %s by %p, and the person is not asked @gap D1-3.3', async (status, change) => {
      const document = await holds(status);
      await world.passes({ seconds: 1 });

      expect(await shop.documents.changes(document, change)).toMatchObject(change);
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
    ] as const)('do not move from %s to %s', async (status, wanted) => {
      const document = await holds(status);

      await expect(shop.documents.changes(document, { status: wanted })).rejects.toEqual(refused('documents.transition_invalid', 409));
      expect(await shop.documents.reads(document)).toEqual(document);
    });

    it('end on a day to come, that is given', async () => {
      const document = await holds('active');
      const ends = (cancel_effective_date?: string) =>
        shop.documents.changes(document, { status: 'active_but_ending', ...(cancel_effective_date && { cancel_effective_date }) });

      await expect(ends()).rejects.toEqual(refused('request.invalid', 400));
      await expect(ends(today())).rejects.toEqual(refused('request.invalid', 400));
      await expect(shop.documents.changes(document, { cancel_effective_date: dayAfter(1) })).rejects.toEqual(
        refused('request.invalid', 400),
      );
    });
  });

  describe('whose file a service replaces', () => {
    const signable = { name: 'Lease', payload_kind: 'file', requires_signature: true, plain_sha256: SHA256 } as const;
    const replaces = ({ id }: { id: string }, body: Request<typeof documents.replaceDocumentFile>['body']) =>
      shop.asks(documents.replaceDocumentFile, { params: { id }, body });
    const lease = async (terms: Partial<NewDocument> = {}) =>
      creates({ ...signable, target: { person_user_id: ana.user_id }, file: await sealed(ana), ...terms } as NewDocument);

    it('has the new one, and the digest of it', async () => {
      const document = await lease();
      const [file, plain_sha256] = [await sealed(ana, 'another'), SHA256.replace(/^./, 'f')];

      expect(await replaces(document, { file, plain_sha256 })).toEqual({ id: document.id, plain_sha256 });
      expect(await ana.documents.fetches(document)).toEqual({ encrypted: true, value: file });
      expect(await kindsOf(document)).toEqual(['document_created', 'document_updated']);
      const terms = await broadcasts();
      await replaces(terms, { file: envelope('text/plain', 'Terms of 2027') });
      expect(await ana.documents.fetches(terms)).toMatchObject({ content_type: 'text/plain' });
    });

    it('is refused where the contract is in force or over', async () => {
      const document = await lease({ requires_signature: false, ...CONTRACT, plain_sha256: undefined } as Partial<NewDocument>);
      const file = await sealed(ana, 'another');

      await expect(replaces(document, { file })).rejects.toEqual(refused('documents.contract_immutable', 409));
      await shop.documents.changes(document, { status: 'ended' });
      await expect(replaces(document, { file })).rejects.toEqual(refused('documents.contract_immutable', 409));
    });

    it('is refused where it does not fit', async () => {
      const [document, said, terms] = [await lease(), await shop.documents.issues(ana), await broadcasts()];
      const file = await sealed(ana);

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

  describe('that are long', () => {
    /** A wrapper by its form: nobody here opens it. */
    const wrapperOf = (bytes: number) => {
      const [k, iv, d] = [256, 12, bytes].map((length) => Buffer.alloc(length, 'sealed ').toString('base64'));
      return JSON.stringify({ _enc: 1, k, iv, d });
    };
    const uploads = async () => (await many(db, sql`select from document_content where document_id is null`)).length;

    it.each(['eu', 'us'] as const)('come and go as they are, to a person who lives in %s', async (region) => {
      const { person, connection: own } = await connected(region);
      const file = wrapperOf(1_000_001);
      const body = { name: 'Scan', payload_kind: 'file', target: { connection_id: own.id }, file } as const;

      const document = await creates(body);
      const fetched = await person.documents.fetches(document);

      expect(fetched).toMatchObject({ encrypted: true });
      expect((fetched as { value: string }).value === file).toBe(true);
      const again = wrapperOf(1_000_000);
      await shop.asks(documents.replaceDocumentFile, { params: { id: document.id }, body: { file: again } });
      expect(((await person.documents.fetches(document)) as { value: string }).value === again).toBe(true);
    });

    it('are for all as bytes, with the digest of them, and refused where they are not what they say', async () => {
      const file = envelope('application/pdf', 'a long file. '.repeat(80_000));
      const { id } = await creates({ name: 'Terms', payload_kind: 'file', file });

      const answer = await fetch(`${world.regionUrl('eu')}/api/company-data/documents/${id}/file`, {
        headers: { authorization: `Bearer ${(await shop.getsToken()).access_token}` },
      });

      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(bytes.toString('base64') === file.file.slice(file.file.indexOf(',') + 1)).toBe(true);
      expect(answer.headers.get('content-type')).toBe('application/pdf');
      expect(answer.headers.get('x-platform-content-sha256')).toBe(createHash('sha256').update(bytes).digest('hex'));
      const lies = { ...file, size: file.size - 1 };
      await expect(creates({ name: 'Terms', payload_kind: 'file', file: lies })).rejects.toEqual(refused('request.invalid', 400));
      const clear = { name: 'Bill', payload_kind: 'file', target: { person_user_id: ana.user_id }, file } as const;
      await expect(creates(clear)).rejects.toEqual(refused('contact_data.encryption_required', 400));
      expect(await uploads()).toBe(0);
    });

    it('are the payload and nothing else: no text that was checked stands for another one', async () => {
      const [long, sealedOne] = ['p'.repeat(20_000), JSON.stringify(await sealed(ana))];
      const begin = `{"name":"Bill","payload_kind":"file","target":{"person_user_id":"${ana.user_id}"}`;
      const bodies = [`${begin},"file":"${long}","file":${sealedOne}}`, `${begin},"metadata":{"${long}":1},"file":${sealedOne}}`];
      const token = (await shop.getsToken()).access_token;

      for (const body of bodies) {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const answer = await fetch(`${world.regionUrl('eu')}/api/company-data/documents`, { method: 'POST', headers, body });
        expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ error_key: 'request.invalid' })]);
      }

      expect(await uploads()).toBe(0);
    });

    it('are one document where a call is repeated with its key, as it is by then; for another recipient it is another one', async () => {
      const { connection: other } = await connected();
      const sends = (to: OwnConnection, chars: number) =>
        creates({ name: `${chars}`, payload_kind: 'file', target: { connection_id: to.id }, file: wrapperOf(chars), idempotency_key: 'k' });

      const [one, two] = await Promise.all([sends(connection, 400_000), sends(connection, 400_004)]);
      await shop.documents.changes(one, { status: 'ended' });
      const [three, elsewhere] = [await sends(connection, 1000), await sends(other, 400_000)];

      expect([two, three]).toEqual([one, { ...one, status: 'ended' }]);
      expect(elsewhere.id).not.toBe(one.id);
      expect(await kindsOf(one)).toEqual(['document_created', 'document_updated']);
      expect(await uploads()).toBe(0);
      await shop.documents.deletes(one);
      expect((await sends(connection, 1000)).id).not.toBe(one.id);
    });

    it('leave nothing where no customer is found', async () => {
      const body = { name: 'Scan', payload_kind: 'file', target: { share_code: 'NOBODY' }, file: wrapperOf(400_000) } as const;

      await expect(creates(body)).rejects.toEqual(refused('company_data.connection_not_found', 404));

      expect(await uploads()).toBe(0);
    });
  });

  it('are deleted where they bind nobody', async () => {
    for (const status of ['offering', 'ready_to_sign', 'active', 'ended']) {
      const document = await holds(status);
      await shop.documents.deletes(document);
      await expect(shop.documents.reads(document)).rejects.toEqual(refused('documents.not_found', 404));
      await expect(ana.documents.reads(document)).rejects.toEqual(refused('documents.not_found', 404));
      expect((await kindsOf(document)).at(-1)).toBe('document_deleted');
    }
    const contract = await shop.documents.issues(ana, CONTRACT);
    await expect(shop.documents.deletes(contract)).rejects.toEqual(refused('documents.contract_immutable', 409));
    await shop.documents.changes(contract, { status: 'ended' });
    await shop.documents.deletes(contract);
    await expect(shop.documents.deletes(contract)).rejects.toEqual(refused('documents.not_found', 404));
  });

  describe.each(['eu', 'us'] as const)('on the phone of a person who lives in %s', (region) => {
    let bob: Person;
    let own: OwnConnection;
    beforeAll(async () => {
      ({ person: bob, connection: own } = await connected(region));
    });
    beforeEach(() => world.passes({ minutes: 1 }));

    it('are heard of, listed, read and opened', async () => {
      const phone = bob.phone.listens();
      await phone.hears('reset');
      const document = await shop.documents.issues(bob, { value: '{"price":13}' });
      const terms = await broadcasts();

      expect((await phone.hears('document_created')).data).toEqual({ document_id: document.id });
      expect((await bob.documents.list({ limit: 2 })).map(({ id }) => id).sort()).toEqual([document.id, terms.id].sort());
      expect(await bob.documents.list({ connection_id: own.id, status: 'active' })).toEqual([document]);
      expect(await bob.documents.reads(document)).toEqual(document);
      const { value } = (await bob.documents.fetches(document)) as { value: string };
      expect(await bob.opens(value)).toBe('{"price":13}');
      expect(await bob.documents.fetches(terms)).toMatchObject({ content_type: 'application/pdf' });

      await shop.documents.deletes(document);
      expect((await phone.hears('document_deleted')).data).toEqual({ document_id: document.id });
      await phone.leaves();
    });

    it('are accepted, once', async () => {
      const document = await shop.documents.issues(bob, { requires_acceptance: true });

      const taps = await Promise.allSettled(Array.from({ length: 5 }, () => bob.documents.accepts(document)));

      const done = taps.flatMap((tap) => (tap.status === 'fulfilled' ? [tap.value] : []));
      expect(done).toEqual([{ ...document, status: 'active', signatures: [acceptance()] }]);
      expect(taps.flatMap((tap) => (tap.status === 'rejected' ? [tap.reason as unknown] : []))).toEqual(
        Array.from({ length: 4 }, () => refused('documents.transition_invalid', 409)),
      );
      expect(await eventsOf(document)).toEqual([
        expect.objectContaining({ event: 'document_created' }),
        statusChanged(document.id, { status: 'active', action: 'accepted' }),
      ]);
      expect(await shop.documents.reads(document)).toEqual(done[0]);
    });

    it.each(['ready_to_sign', 'offering'] as const)('are declined while %s', async (status) => {
      const document = await shop.documents.issues(bob, { [status === 'offering' ? 'requires_acceptance' : 'requires_signature']: true });

      expect(await bob.documents.declines(document)).toMatchObject({ status: 'ended' });
      expect((await eventsOf(document)).at(-1)).toEqual(
        statusChanged(document.id, { status: 'ended', action: 'cancelled', cancel_effective_date: today() }),
      );
      await expect(bob.documents.declines(document)).rejects.toEqual(refused('documents.transition_invalid', 409));
    });

    it('are cancelled for today', async () => {
      const document = await shop.documents.issues(bob, CANCELLABLE);

      expect(await bob.documents.cancels(document, '2020-01-01')).toMatchObject({ status: 'ended', cancel_effective_date: today() });
      expect((await eventsOf(document)).at(-1)).toEqual(
        statusChanged(document.id, { status: 'ended', action: 'cancelled', cancel_effective_date: today() }),
      );
    });

    it('are cancelled for a later day, and end by themselves when it comes', async () => {
      const document = await shop.documents.issues(bob, CANCELLABLE);
      const day = dayAfter(2);

      expect(await bob.documents.cancels(document, day)).toMatchObject({ status: 'active_but_ending', cancel_effective_date: day });
      expect((await eventsOf(document)).at(-1)).toEqual(
        statusChanged(document.id, { status: 'active_but_ending', action: 'cancelled', cancel_effective_date: day }),
      );
      await expect(bob.documents.cancels(document)).rejects.toEqual(refused('documents.transition_invalid', 409));
      await world.passes({ hours: 48 });
      await Promise.all([shop.getsToken(), bob.signsIn(), ana.signsIn()]);

      await comesTrue(async () => expect(await shop.documents.reads(document)).toMatchObject({ status: 'ended' }));
      expect((await kindsOf(document)).at(-1)).toBe('document_updated');
    });

    it('are refused: what is not cancellable, not open, for all, or a file that does not open', async () => {
      const bound = await shop.documents.issues(bob, CONTRACT);
      await expect(bob.documents.cancels(bound)).rejects.toEqual(refused('documents.transition_invalid', 409));
      await expect(bob.documents.accepts(bound)).rejects.toEqual(refused('documents.transition_invalid', 409));
      await expect(bob.documents.declines(bound)).rejects.toEqual(refused('documents.transition_invalid', 409));
      await expect(bob.documents.declines(await broadcasts())).rejects.toEqual(refused('documents.transition_invalid', 409));
      await expect(bob.documents.cancels(await shop.documents.issues(bob, { ...CANCELLABLE, requires_signature: true }))).rejects.toEqual(
        refused('documents.transition_invalid', 409),
      );
      const file = { otk: Buffer.alloc(32).toString('base64'), file: Buffer.alloc(40).toString('base64') };
      const accepts = ({ id }: { id: string }, body: object) => bob.asks(appDocuments.acceptDocument, { params: { id }, body });
      const offer = await creates({
        name: 'Offer',
        payload_kind: 'file',
        requires_acceptance: true,
        plain_sha256: SHA256,
        target: { connection_id: own.id },
        file: await sealed(bob),
      });
      await expect(accepts(offer, {})).rejects.toEqual(refused('request.invalid', 400));
      await expect(accepts(offer, file)).rejects.toEqual(refused('documents.file_invalid', 400));
      const said = await shop.documents.issues(bob, { requires_acceptance: true });
      await expect(accepts(said, file)).rejects.toEqual(refused('request.invalid', 400));
      expect(await bob.documents.reads(offer)).toMatchObject({ status: 'offering', signatures: [] });
    });

    it('are refused where an act or a list is not as its shape says', async () => {
      const { id } = await shop.documents.issues(bob, { ...CANCELLABLE, requires_acceptance: true });
      const reason = { reason: 'too dear' } as never;

      await expect(bob.documents.list({ limit: 0 })).rejects.toEqual(refused('request.invalid', 400));
      await expect(bob.documents.cancels({ id }, 'tomorrow')).rejects.toEqual(refused('request.invalid', 400));
      await expect(bob.asks(appDocuments.declineDocument, { params: { id }, body: reason })).rejects.toEqual(
        refused('request.invalid', 400),
      );
      expect(await bob.documents.reads({ id })).toMatchObject({ status: 'offering' });
    });

    it("are not anybody else's", async () => {
      const document = await shop.documents.issues(bob, { requires_acceptance: true });

      for (const act of ['reads', 'fetches', 'accepts', 'declines', 'cancels'] as const) {
        await expect(ana.documents[act](document)).rejects.toEqual(refused('documents.not_found', 404));
      }
      expect(await ana.documents.list({ connection_id: own.id })).toEqual([]);
    });

    it('keep the connection while an agreement is active, and end with it', async () => {
      const { person: cleo, connection: hers } = await connected(region);
      const contract = await shop.documents.issues(cleo, { kind: 'subscription' });
      const offer = await shop.documents.issues(cleo, { requires_acceptance: true });
      await world.automation.getsToken();
      const inForce = refused('company_connections.active_contract', 409);

      await expect(cleo.connections.disconnects(hers)).rejects.toEqual(inForce);
      await expect(shop.asks(connections.endConnection, { params: { connectionId: hers.id } })).rejects.toEqual(inForce);
      await expect(world.automation.asks(services.deleteService, { params: { id: shop.service_id! } })).rejects.toEqual(inForce);
      expect(await cleo.asks(customer.readCustomerConnection, { params: { connectionId: hers.id } })).toMatchObject({ id: hers.id });

      await shop.documents.changes(contract, { status: 'active_but_ending', cancel_effective_date: dayAfter(9) });
      await expect(cleo.connections.disconnects(hers)).rejects.toEqual(inForce);
      await shop.documents.changes(contract, { status: 'ended' });
      await cleo.connections.disconnects(hers);

      expect(await shop.documents.reads(offer)).toMatchObject({ status: 'ended' });
      expect((await kindsOf(offer)).at(-1)).toBe('document_updated');
      await expect(shop.documents.issues(cleo)).rejects.toEqual(refused('company_data.connection_not_found', 404));
    });

    const statusChanged = (document_id: string, said: object) => ({
      event: 'document_status_changed',
      person_user_id: bob.user_id,
      share_code: bob.share_code,
      at: world.now.toISOString(),
      document_id,
      method: null,
      content_sha256: null,
      signed_at: null,
      cancel_effective_date: null,
      sealed_at: null,
      plain_sha256: null,
      signer_first_name: null,
      signer_last_name: null,
      signer_name_verified: null,
      ...said,
    });
    const acceptance = () => ({
      action: 'accepted',
      method: null,
      content_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      plain_sha256: null,
      signer_first_name: null,
      signer_last_name: null,
      signer_name_verified: null,
      created_at: world.now.toISOString(),
    });
  });

  it('an acceptance and a disconnect at once: one is first, and no contract is in force without its connection', async () => {
    const { person: dora, connection: hers } = await connected();
    const offer = await shop.documents.issues(dora, { ...CONTRACT, requires_acceptance: true });
    const holder = db.createQueryRunner();
    await holder.startTransaction();
    await many(holder.manager, sql`select from connection where connection_id = ${hers.id} for update`);
    const acts = Promise.allSettled([dora.documents.accepts(offer), dora.connections.disconnects(hers)]);
    await comesTrue(async () => expect(await lockWaits(db)).toBeGreaterThan(0), 20);
    await holder.commitTransaction();
    await holder.release();
    await acts;

    const { status } = await shop.documents.reads(offer);
    const isConnected = await dora.connections.connects('ACME/SHOP').then(
      () => false,
      () => true,
    );
    expect([status, isConnected]).toEqual(status === 'active' ? ['active', true] : ['ended', false]);
  });

  describe('are moved by the acts of the table, and by no others @spec D1-3.3', () => {
    const ACTS = {
      sign: (document: { id: string }) => ana.documents.signs(document),
      accept: (document: { id: string }) => ana.documents.accepts(document),
      decline: (document: { id: string }) => ana.documents.declines(document),
      'cancel for later': (document: { id: string }) => ana.documents.cancels(document, dayAfter(9)),
      'cancel for today': (document: { id: string }) => ana.documents.cancels(document, today()),
    };
    const MOVES: Readonly<Record<string, Partial<Record<keyof typeof ACTS, string>>>> = {
      ready_to_sign: { sign: 'active', decline: 'ended' },
      offering: { accept: 'active', decline: 'ended' },
      active: { 'cancel for later': 'active_but_ending', 'cancel for today': 'ended' },
      active_but_ending: {},
      ended: {},
    };

    it.each(Object.keys(MOVES))('%s', async (status) => {
      const names = Object.keys(ACTS) as (keyof typeof ACTS)[];
      const document = await holds(status, CANCELLABLE);
      for (const refusedAct of names.filter((name) => !MOVES[status]![name]))
        await expect(ACTS[refusedAct](document)).rejects.toEqual(refused('documents.transition_invalid', 409));
      expect(await shop.documents.reads(document)).toEqual(document);

      for (const act of names.filter((name) => MOVES[status]![name])) {
        const moved = await holds(status, CANCELLABLE);
        expect(await ACTS[act](moved)).toMatchObject({ status: MOVES[status]![act] });
        expect((await kindsOf(moved)).at(-1)).toBe('document_status_changed');
      }
    });
  });

  it('raise events that the feed carries, the latest status of a document alone @spec D1-6.2', async () => {
    for (let isMore = true; isMore;) isMore = (await shop.feed.drains()).more;
    const document = await shop.documents.issues(ana, { ...CANCELLABLE, requires_acceptance: true });
    await ana.documents.accepts(document);
    await ana.documents.cancels(document, dayAfter(5));

    const { events } = await shop.feed.drains();

    const own = events.filter((event) => 'document_id' in event && event.document_id === document.id);
    expect(own.map(({ event }) => event)).toEqual<EventName[]>(['document_created', 'document_status_changed']);
    expect(own[1]).toMatchObject({ status: 'active_but_ending', action: 'cancelled', cancel_effective_date: dayAfter(5) });
  });
});
