import { appDocuments, DOCUMENT_SUBJECTS, documents, seals, UPLOAD_CHARS, type FeedEvent } from '@codase/contracts';
import { fingerprint, loadIdentity, verify, type StoredIdentity } from '@codase/pdf';
import { execute, many, sql } from '@codase/runtime/db';
import { eventually, everyRow, World, type Backend, type Person } from '@codase/testing';
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { refused } from '../../sharing/connections/connections-world.ts';
import { lockWaits } from '../../support/lock-waits.ts';

const FIXTURES = 'libs/pdf/test/fixtures';
const PDF = readFileSync(`${FIXTURES}/producers/reportlab.pdf`);
const DAMAGED = Buffer.concat([PDF.subarray(0, 700), PDF.subarray(900)]);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('signing a document @spec D1-2.12 @spec D1-3.3 @spec D1-6.2', () => {
  let world: World;
  let shop: Backend;
  let db: DataSource;
  let frontDoor: DataSource;
  let ana: Person;
  let otto: Person;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    shop = world.shop;
    db = await world.opensDatabase('region_eu', { pool: 2 });
    frontDoor = await world.opensDatabase('front_door');
    [ana, otto] = [await connected('eu'), await connected('us')];
  });
  afterAll(() => world?.close());
  beforeEach(() => world.passes({ seconds: 1 }));

  const connected = async (region: 'eu' | 'us') => {
    const person = await world.signsUp({ type: 'person', region });
    await person.connections.connects('ACME/SHOP');
    return person;
  };
  const statusEvents = ({ id }: { id: string }) =>
    many<{ body: FeedEvent }>(
      db,
      sql`
      select body from feed_event where body ->> 'document_id' = ${id} and body ->> 'event' = 'document_status_changed' order by seq`,
    ).then((rows) => rows.map(({ body }) => body));
  const certificates = async () =>
    (await many<{ certificate_pem: string }>(db, sql`select certificate_pem from seal_certificate`)).map(
      ({ certificate_pem }) => new X509Certificate(certificate_pem),
    );
  const readers = async ({ id }: { id: string }) =>
    (await many<{ reader: string }>(db, sql`select reader from document_content where document_id = ${id} order by reader`)).map(
      ({ reader }) => reader,
    );
  const uploads = async () => (await many(db, sql`select from document_content where document_id is null`)).length;
  const pdfIn = (envelope: string) => {
    const { file, mime_type, size } = JSON.parse(envelope) as { file: string; mime_type: string; size: number };
    const bytes = Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
    expect([mime_type, size]).toEqual(['application/pdf', bytes.length]);
    return bytes;
  };
  const copyOf = async (holder: { opens(wrapper: string): Promise<string> }, answer: unknown) =>
    pdfIn(await holder.opens((answer as { value: string }).value));

  it('is refused and stores nothing while sealing fails', async () => {
    const [lease, offer] = [
      await shop.documents.issuesPdf(ana, PDF),
      await shop.documents.issuesPdf(otto, PDF, { requires_acceptance: true }),
    ];
    const broken = sql`
      insert into seal_certificate (certificate_id, certificate_pem, chain_pem, sealed_key, created_at)
      values ('broken', '', '[]', 'nobodys:key', ${world.now})`;
    await execute(db, broken);

    await expect(ana.documents.signs(lease, PDF)).rejects.toEqual(refused('documents.seal_failed', 503));
    await expect(otto.documents.accepts(offer, PDF)).rejects.toEqual(refused('documents.seal_failed', 503));

    expect([await shop.documents.reads(lease), await shop.documents.reads(offer), await uploads()]).toEqual([lease, offer, 0]);
    await execute(db, sql`delete from seal_certificate where certificate_id = 'broken'`);
    expect(await ana.documents.signs(lease, PDF)).toMatchObject({ status: 'active' });
  });

  it.each(['eu', 'us'] as const)('seals a PDF for both parties when a person who lives in %s signs it', async (region) => {
    const signer = region === 'eu' ? ana : otto;
    const document = await shop.documents.issuesPdf(signer, PDF, { kind: 'agreement' });
    const params = { id: document.id };
    await expect(shop.asks(documents.readDocumentFile, { params })).rejects.toEqual(refused('documents.recipient_encrypted', 409));
    const { value: read } = (await signer.documents.fetches(document)) as { value: string };

    const signed = await signer.documents.signs(document, PDF, { method: 'twofa' });

    const at = world.now.toISOString();
    const signature = {
      action: 'signed',
      method: 'twofa',
      content_sha256: sha256(Buffer.from(read)),
      plain_sha256: sha256(PDF),
      signer_first_name: 'Ada',
      signer_last_name: 'Example',
      signer_name_verified: false,
      created_at: at,
    };
    expect(signed).toEqual({ ...document, status: 'active', sealed_at: at, signatures: [signature] });
    expect(await shop.documents.reads(document)).toEqual(signed);
    const { action, created_at: signed_at, ...members } = signature;
    expect(await statusEvents(document)).toEqual([
      {
        event: 'document_status_changed',
        person_user_id: signer.user_id,
        share_code: signer.share_code,
        at,
        document_id: document.id,
        status: 'active',
        action,
        signed_at,
        sealed_at: at,
        cancel_effective_date: null,
        ...members,
      },
    ]);
    const own = await copyOf(signer, await signer.documents.fetches(document));
    const companys = await copyOf(shop, await shop.asks(documents.readDocumentFile, { params }));
    expect(companys.equals(own)).toBe(true);
    expect(own.subarray(0, PDF.length).equals(PDF)).toBe(true);
    expect(verify(own, { certificates: await certificates() })).toMatchObject({
      verdict: 'sealed',
      signatures: [
        { covers_whole_file: true, claimed_at: at.replace(/\.\d+Z/, '.000Z'), signed: { bytes: PDF.length, sha256: sha256(PDF) } },
      ],
    });
    expect(await world.stranger.asks(seals.verifyPdf, { body: own })).toMatchObject({
      verdict: 'sealed',
      signatures: [{ by_this_platform: true, signed: { sha256: sha256(PDF) } }],
    });
    await expect(
      shop.asks(documents.replaceDocumentFile, { params, body: { file: await shop.sealsFor(signer, 'x'), plain_sha256: sha256(PDF) } }),
    ).rejects.toEqual(refused('documents.contract_immutable', 409));
  });

  it('can be verified with the list of the seal certificates of all regions', async () => {
    const frontDoor = await world.opensDatabase('front_door');
    const other = loadIdentity(JSON.parse(readFileSync(`${FIXTURES}/identity.json`, 'utf8')) as StoredIdentity);
    await execute(
      frontDoor,
      sql`
      insert into known_seal_certificate (certificate_id, certificate_pem, region, created_at)
      values (${fingerprint(other.certificate)}, ${other.certificate.toString()}, 'us', ${world.now})`,
    );
    await frontDoor.destroy();

    const { certificates: listed, complete } = await shop.asks(documents.listSealCertificates, {});

    const [own] = await certificates();
    expect(complete).toBe(true);
    expect(listed.map(({ fingerprint_sha256 }) => fingerprint_sha256)).toEqual([own!, other.certificate].map(fingerprint));
    expect(listed.map(({ certificate_pem }) => fingerprint(new X509Certificate(certificate_pem)))).toEqual(
      [own!, other.certificate].map(fingerprint),
    );
  });

  it('seals an accepted offer, under the name that the company knows', async () => {
    const offer = await shop.documents.issuesPdf(ana, PDF, { requires_acceptance: true });

    const accepted = await ana.documents.accepts(offer, PDF);

    expect(accepted).toMatchObject({ status: 'active', sealed_at: world.now.toISOString() });
    const signer = { signer_first_name: ana.display_name, signer_last_name: '', signer_name_verified: false };
    expect(accepted.signatures).toMatchObject([{ action: 'accepted', method: null, plain_sha256: sha256(PDF), ...signer }]);
    expect(await readers(offer)).toEqual(['company', 'recipient']);
    expect(await statusEvents(offer)).toMatchObject([
      { action: 'accepted', sealed_at: accepted.sealed_at, signed_at: null, method: null, ...signer },
    ]);
  });

  it.each(['biometric', 'twofa', 'email', 'custodian'] as const)(
    'accepts a contract in JSON without a seal, by the method %s',
    async (method) => {
      const document = await shop.documents.issues(ana, { kind: 'agreement', requires_signature: true });

      const signed = await ana.documents.signs(document, undefined, { method });

      expect(signed).toMatchObject({ status: 'active', sealed_at: null, plain_sha256: null, signatures: [{ action: 'signed', method }] });
      expect(await statusEvents(document)).toMatchObject([{ action: 'signed', method, sealed_at: null, signer_first_name: 'Ada' }]);
      await expect(ana.documents.signs(document)).rejects.toEqual(refused('documents.transition_invalid', 409));
    },
  );

  it('marks a name as verified only while it is the verified one and the verification has not expired', async () => {
    const person = await connected('eu');
    const provider = await world.registersProvider();
    const verifies = async (slug: string, name: string, until?: Date) => {
      await person.fields.edits(slug, name);
      await provider.verifies(person, slug, name, until ? { until } : {});
    };
    const signsAs = async (signer_first_name: string) => {
      const document = await shop.documents.issues(person, { requires_signature: true });
      const { signatures } = await person.documents.signs(document, undefined, { signer_first_name, signer_last_name: 'Lovelace' });
      return signatures[0]!.signer_name_verified;
    };
    await verifies('first_name', 'Ada');
    expect(await signsAs('Ada')).toBe(false);
    await verifies('last_name', 'Lovelace', new Date(world.now.getTime() + 60_000));

    expect([await signsAs('Ada'), await signsAs('Eve')]).toEqual([true, false]);
    await world.passes({ minutes: 2 });
    expect(await signsAs('Ada')).toBe(false);
  });

  describe('refusals to sign a document', () => {
    const NAMES = { method: 'email', signer_first_name: 'Ada', signer_last_name: 'Example' } as const;
    /** A box that opens with no key. */
    const rubbish = () => ({ otk: randomBytes(32).toString('base64'), file: randomBytes(400).toString('base64') });

    it.each(['offering', 'active', 'active_but_ending', 'ended'] as const)('a document that is %s cannot be signed', async (status) => {
      let document = await shop.documents.issuesPdf(ana, PDF, { requires_signature: false, requires_acceptance: status === 'offering' });
      if (status === 'ended') document = await shop.documents.changes(document, { status });
      if (status === 'active_but_ending') {
        document = await shop.documents.changes(document, { status, cancel_effective_date: '2999-01-01' });
      }

      await expect(ana.documents.signs(document, PDF)).rejects.toEqual(refused('documents.transition_invalid', 409));
      const unopened = { params: { id: document.id }, body: { ...NAMES, ...rubbish() } };
      await expect(ana.asks(appDocuments.signDocument, unopened)).rejects.toEqual(refused('documents.transition_invalid', 409));
      expect(await shop.documents.reads(document)).toEqual(document);
      expect(await statusEvents(document)).toEqual([]);
    });

    it('a file whose digest the service has not given cannot be signed', async () => {
      const lease = await shop.documents.issuesPdf(ana, PDF);
      await execute(db, sql`update document set plain_sha256 = null where document_id = ${lease.id}`);

      const noDigest = expect.objectContaining({ key: 'documents.transition_invalid', message: expect.stringContaining('digest') });
      await expect(ana.documents.signs(lease, PDF)).rejects.toEqual(noDigest);
    });

    it('a signature without the exact bytes of a whole PDF is refused, and nothing is stored', async () => {
      const lease = await shop.documents.issuesPdf(ana, PDF);
      const broken = await shop.documents.issuesPdf(ana, DAMAGED);
      const said = await shop.documents.issues(ana, { requires_signature: true });
      const invalid = (words: string) =>
        expect.objectContaining({ key: 'documents.file_invalid', status: 400, message: expect.stringContaining(words) });
      const body = { ...NAMES, ...rubbish() };

      await expect(ana.documents.signs(lease, Buffer.concat([PDF, Buffer.from(' ')]))).rejects.toEqual(invalid('SHA-256'));
      await expect(ana.asks(appDocuments.signDocument, { params: { id: lease.id }, body })).rejects.toEqual(invalid('does not open'));
      await expect(ana.documents.signs(broken, DAMAGED)).rejects.toEqual(invalid('damaged'));
      await expect(ana.documents.signs(lease)).rejects.toEqual(refused('request.invalid', 400));
      await expect(ana.documents.signs(said, PDF)).rejects.toEqual(refused('request.invalid', 400));
      await expect(ana.documents.accepts(lease, PDF)).rejects.toEqual(refused('documents.transition_invalid', 409));

      for (const document of [lease, broken, said]) expect(await shop.documents.reads(document)).toEqual(document);
      expect([await readers(lease), await uploads()]).toEqual([['recipient'], 0]);
    });

    it('a signature with a file that is too long is refused', async () => {
      const [lease, offer] = [
        await shop.documents.issuesPdf(ana, PDF),
        await shop.documents.issuesPdf(ana, PDF, { requires_acceptance: true }),
      ];
      const long = { otk: randomBytes(32).toString('base64'), file: 'A'.repeat(UPLOAD_CHARS + 4) };

      const tooLarge = refused('documents.too_large', 400);
      await expect(ana.asks(appDocuments.signDocument, { params: { id: lease.id }, body: { ...NAMES, ...long } })).rejects.toEqual(
        tooLarge,
      );
      await expect(ana.asks(appDocuments.acceptDocument, { params: { id: offer.id }, body: long })).rejects.toEqual(tooLarge);
    });

    it.each(['eu', 'us'] as const)('a document of another person is not found by a person of %s', async (region) => {
      const eve = await connected(region);
      const lease = await shop.documents.issuesPdf(ana, PDF);

      await expect(eve.documents.signs(lease, PDF)).rejects.toEqual(refused('documents.not_found', 404));
      expect(await shop.documents.reads(lease)).toEqual(lease);
    });
  });

  it('makes one seal when several signatures arrive at once', async () => {
    const lease = await shop.documents.issuesPdf(otto, PDF);

    const acts = await Promise.allSettled([1, 2, 3].map(() => otto.documents.signs(lease, PDF)));

    expect(acts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(acts.flatMap((act) => (act.status === 'rejected' ? [act.reason as unknown] : []))).toEqual([
      refused('documents.transition_invalid', 409),
      refused('documents.transition_invalid', 409),
    ]);
    expect([await readers(lease), await uploads(), (await statusEvents(lease)).length]).toEqual([['company', 'recipient'], 0, 1]);
    const { signatures } = await shop.documents.reads(lease);
    expect(signatures).toHaveLength(1);
    expect(verify(await copyOf(otto, await otto.documents.fetches(lease)), { certificates: await certificates() }).verdict).toBe('sealed');
  });

  /** Runs an act, and a statement between its seal and its end. Returns the outcome of the act. */
  const meanwhile = async (lease: { id: string }, act: () => Promise<unknown>, happens: ReturnType<typeof sql>) => {
    const locked = db.createQueryRunner();
    await locked.startTransaction();
    await execute(locked.manager, sql`select from document where document_id = ${lease.id} for update`);
    const acting = act().catch((error: unknown) => error);
    await eventually(async () => ((await lockWaits(db)) > 0 ? true : undefined)); // the act is sealed, and waits for the document
    await execute(locked.manager, happens);
    await locked.commitTransaction();
    await locked.release();
    return acting;
  };

  it.each([
    [
      'for a file that the service replaced',
      { key: 'documents.file_invalid', words: 'another file in its place' },
      (id: string) => sql`update document set content_sha256 = ${sha256(DAMAGED)} where document_id = ${id}`,
    ],
    [
      'for a file that the service gave another digest of the PDF',
      { key: 'documents.file_invalid', words: 'another file in its place' },
      (id: string) => sql`update document set plain_sha256 = ${sha256(DAMAGED)} where document_id = ${id}`,
    ],
    [
      'whose copies were deleted',
      { key: 'service.unavailable', words: '' },
      () => sql`delete from document_content where document_id is null`,
    ],
  ])('is refused %s during the sealing, and leaves no sealed copy', async (_, { key, words }, happens) => {
    const lease = await shop.documents.issuesPdf(ana, PDF);

    const refusal = await meanwhile(lease, () => ana.documents.signs(lease, PDF), happens(lease.id));

    expect(refusal).toEqual(expect.objectContaining({ key, message: expect.stringContaining(words) }));
    expect([await readers(lease), await uploads(), (await shop.documents.reads(lease)).signatures]).toEqual([['recipient'], 0, []]);
  });

  it('is rolled back when the region that requested it has timed out', async () => {
    const lease = await shop.documents.issues(otto, { requires_signature: true });
    const us = await world.busAs('platform-region-us');
    const names = { signer_first_name: 'Ada', signer_last_name: 'Example', signer_name_verified: false };
    const act = { kind: 'sign', method: 'email', ...names } as const;
    const request = { user_id: otto.user_id, document_id: lease.id, act };
    const asks = () => us.request(DOCUMENT_SUBJECTS.act, { region: 'eu' }, request, { timeout: 300 });

    const given = await meanwhile(lease, async () => asks().catch((error: unknown) => error), sql`select pg_sleep(0.4)`);

    expect(given).toEqual(refused('service.unavailable', 503));
    await eventually(async () => ((await lockWaits(db)) === 0 ? true : undefined));
    expect(await otto.documents.signs(lease)).toMatchObject({ status: 'active', signatures: [{ method: 'biometric' }] });
  });

  it('leaves no plaintext of the document and no key in the database', async () => {
    const rows = (await everyRow(world.databaseUrl('region_eu'))) + (await everyRow(world.databaseUrl('region_us')));

    const text = PDF.toString('base64');
    for (const found of [text.slice(40, 120), PDF.toString('hex', 30, 90), PDF.toString('latin1', 0, 12), '"otk"']) {
      expect(rows).not.toContain(found);
    }
    expect(await many(db, sql`select from parcel_piece`)).toEqual([]);
  });

  it('uses a seal certificate that the front door knows', async () => {
    const known = await many<{ certificate_id: string; region: string }>(
      frontDoor,
      sql`select certificate_id, region from known_seal_certificate`,
    );
    const [used] = await many<{ certificate_id: string }>(db, sql`select certificate_id from seal_certificate`);

    expect(known).toContainEqual({ certificate_id: used!.certificate_id, region: 'eu' });
  });
});
