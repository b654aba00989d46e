import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connections, documents, operation, Refusal, registry, UNWRAP_KEY, type CompanyDocument, type Endpoint } from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import { importValuePrivateKey, openValue, readPrivateKeyPem, unwrapKey } from '@codase/crypto/open';
import { loadIdentity, seal, type StoredIdentity } from '@codase/pdf';
import type { Bus } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import { TestBus } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { connect, UnverifiedDocument, type CodaseClient } from '../src/index.ts';

const [ANA, SHOP, STRANGER] = SERVICE_KEYS;
const READER = { connection_id: 'conn_1', person_public_key: ANA.public_key };
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const opens = async ({ pem, passphrase }: typeof ANA, wrapper: string) =>
  openValue(await importValuePrivateKey(await readPrivateKeyPem(pem, passphrase)), wrapper);
const seals = async ({ public_key }: typeof ANA, plaintext: string) => sealValue(await importValuePublicKey(public_key), plaintext);
const envelopeOf = (pdf: Uint8Array, name = 'Lease.pdf') =>
  JSON.stringify({
    file: `data:application/pdf;base64,${Buffer.from(pdf).toString('base64')}`,
    original_name: name,
    mime_type: 'application/pdf',
    size: pdf.length,
  });

const identity = (name: string) => loadIdentity(JSON.parse(readFileSync(`libs/pdf/test/fixtures/${name}.json`, 'utf8')) as StoredIdentity);
const [PLATFORM, OTHER] = [identity('identity'), identity('other-identity')];
const SEAL = { ...PLATFORM, reason: 'Signed by everybody', signer: 'Demo', time: new Date('2026-11-16T12:55:00Z') };

/** A PDF with one page, and a stream of that length that nothing shows. */
function pdfOf(length: number): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << >> >>',
    `<< /Length ${length} >>\nstream\n${'x'.repeat(length)}\nendstream`,
  ];
  let pdf = '%PDF-1.7\n';
  const entries = objects.map((object, nth) => {
    const offset = String(pdf.length).padStart(10, '0');
    pdf += `${nth + 1} 0 obj\n${object}\nendobj\n`;
    return `${offset} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`;
  return Buffer.from(`${pdf}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`, 'latin1');
}

const PDF = pdfOf(1000);
const SEALED = await seal(PDF, SEAL);
const CONTRACT: CompanyDocument = {
  id: 'doc_1',
  name: 'Lease',
  kind: 'agreement',
  payload_kind: 'file',
  requires_signature: true,
  requires_acceptance: false,
  is_private: false,
  status: 'active',
  metadata: { can_be_cancelled_in_app: false },
  signatures: [],
  plain_sha256: sha256(PDF),
  sealed_at: '2026-11-16T12:55:00.000Z',
  cancel_effective_date: null,
  connection_id: 'conn_1',
  person_user_id: 'usr_1',
  flow_run_id: null,
  created_at: '2026-11-16T12:00:00.000Z',
};

/** Plays the gateway, on the bus and as an HTTP server. */
describe('documents of a service @spec D1-2.12', () => {
  let nats: TestBus;
  let bus: Bus;
  let server: Server;
  let codase: CodaseClient;
  let withoutHttp: CodaseClient;
  let answers: Record<string, (request: never) => unknown>;
  let play: (request: IncomingMessage, response: ServerResponse) => unknown;
  let requests: { name: string; request: { params?: object; body?: Record<string, unknown> } }[];
  let certificates: { certificate_pem: string; fingerprint_sha256: string; created_at: string }[];
  const pem = (identity: typeof PLATFORM) => ({
    certificate_pem: identity.certificate.toString(),
    fingerprint_sha256: sha256(identity.certificate.raw),
    created_at: CONTRACT.created_at,
  });

  beforeAll(async () => {
    nats = await TestBus.open();
    bus = await nats.connect();
    const key = await importValuePrivateKey(await readPrivateKeyPem(SHOP.pem, SHOP.passphrase));
    await bus.answer(UNWRAP_KEY, {}, async ({ wrapped_key }) => ({ value_key: await unwrapKey(key, wrapped_key) }));
    const played: Endpoint[] = [...Object.values<Endpoint>(documents), registry.readPublicKey, connections.readConnection];
    for (const contract of played)
      await bus.answer(operation(contract), {}, ((request: never) => {
        requests.push({ name: contract.name, request });
        return answers[contract.name]!(request);
      }) as never);
    server = createServer({ keepAliveTimeout: 0 }, (request, response) => void play(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const gateway = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'gateway-token' };
    codase = await connect({ ...nats.credentials, service: 'shop', gateway, log: silentLog, keyLog: { mode: 'off' } });
    withoutHttp = await connect({ ...nats.credentials, service: 'shop', log: silentLog, keyLog: { mode: 'off' } });
  });
  afterAll(async () => {
    await codase?.close();
    await withoutHttp?.close();
    server?.closeAllConnections();
    server?.close();
    await nats?.close();
  });
  beforeEach(() => {
    requests = [];
    certificates = [pem(PLATFORM)];
    answers = {
      create_document: () => CONTRACT,
      read_document: () => CONTRACT,
      list_documents: () => ({ items: [CONTRACT], next_cursor: null }),
      list_seal_certificates: () => ({ certificates, complete: true }),
      read_public_key: () => ({ share_code: 'ANA', public_key: ANA.public_key }),
    };
  });
  const names = () => requests.map(({ name }) => name);
  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  /** Plays the HTTP server. Returns the list of the whole bodies that it gets. */
  const sentOverHttp = () => {
    const bodies: string[] = [];
    play = async (request, response) => {
      bodies.push(await text(request));
      json(response, 201, CONTRACT);
    };
    return bodies;
  };

  describe('documents that are sent', () => {
    it('are sealed to their reader, with their terms, a key and the digest of the file to be signed', async () => {
      const file = { bytes: PDF, name: 'Lease.pdf', type: 'application/pdf' };
      const terms = { name: 'Lease', kind: 'agreement', requires_signature: true, metadata: { order: 7 } } as const;

      expect(await codase.documents.send(READER, { ...terms, file }, { key: 'lease-7' })).toEqual(CONTRACT);

      const { file: wrapper, ...body } = requests[0]!.request.body as { file: string };
      expect(body).toEqual({
        ...terms,
        metadata: { order: 7, can_be_cancelled_in_app: false },
        payload_kind: 'file',
        target: { connection_id: 'conn_1' },
        plain_sha256: sha256(PDF),
        idempotency_key: 'lease-7',
        is_private: false,
        requires_acceptance: false,
      });
      expect(await opens(ANA, wrapper)).toBe(envelopeOf(PDF));
    });

    it('can be JSON, sealed to a reader who is known by share code', async () => {
      await codase.documents.send({ share_code: 'ANA' }, { name: 'Offer', json: { price: 12, note: 'größer "or" not' } });

      expect(names()).toEqual(['read_public_key', 'create_document']);
      const { value, target, plain_sha256 } = requests[1]!.request.body as Record<string, string>;
      expect([target, plain_sha256]).toEqual([{ share_code: 'ANA' }, undefined]);
      expect(JSON.parse(await opens(ANA, value!))).toEqual({ price: 12, note: 'größer "or" not' });
    });

    it.each(['bytes', 'a Blob'])("go through the gateway's HTTP server when they are too long for the bus: %s", async (kind) => {
      const bodies = sentOverHttp();
      const bytes = randomBytes(1_500_001);
      const file = { bytes: kind === 'bytes' ? bytes : new Blob([bytes]), name: '../../"evil"\n\u0000.pdf', type: 'application/pdf' };

      await codase.documents.send(READER, { name: 'Scan', requires_acceptance: true, file }, { key: 'scan' });

      const { file: wrapper, ...body } = JSON.parse(bodies[0]!) as { file: string };
      expect(body).toEqual({
        name: 'Scan',
        requires_acceptance: true,
        payload_kind: 'file',
        target: { connection_id: 'conn_1' },
        plain_sha256: sha256(bytes),
        idempotency_key: 'scan',
      });
      expect((await opens(ANA, wrapper)) === envelopeOf(bytes, file.name)).toBe(true);
      expect(names()).toEqual([]);
    });

    it('are plaintext only when they are broadcast', async () => {
      const bodies = sentOverHttp();
      const bytes = randomBytes(1_000_000);

      await codase.documents.broadcast({ name: 'Terms', file: { bytes, name: 'Terms.pdf', type: 'application/pdf' } }, { key: 'terms' });
      await codase.documents.broadcast({ name: 'Hours', json: { open: '9 to 17' } }, { key: 'hours' });

      expect(JSON.parse(bodies[0]!)).toEqual({
        name: 'Terms',
        payload_kind: 'file',
        idempotency_key: 'terms',
        file: JSON.parse(envelopeOf(bytes, 'Terms.pdf')) as object,
      });
      expect(requests[0]!.request.body).toMatchObject({ payload_kind: 'json', value: '{"open":"9 to 17"}' });
    });

    it('are sent again with the same key when the gateway failed', async () => {
      const bodies: string[] = [];
      play = async (request, response) => {
        bodies.push(await text(request));
        if (bodies.length === 1) json(response, 503, new Refusal('service.unavailable').toBody());
        else if (bodies.length === 2) response.destroy(); // the gateway is killed, and nobody knows whether the platform has the document
        else json(response, 201, CONTRACT);
      };

      await codase.documents.send(READER, {
        name: 'Scan',
        file: { bytes: randomBytes(1_000_000), name: 'a.png', type: 'image/png' },
      });

      const keys = bodies.map((body) => (JSON.parse(body) as Record<string, string>)['idempotency_key']);
      expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0], keys[0]]);
    });

    it('are refused at once, even while they are still being uploaded', async () => {
      answers['create_document'] = () => {
        throw new Refusal('company_data.connection_not_found');
      };
      await expect(codase.documents.send(READER, { name: 'Offer', json: 1 })).rejects.toMatchObject({
        key: 'company_data.connection_not_found',
      });
      expect(names()).toEqual(['create_document']);

      play = (_, response) => json(response, 401, new Refusal('auth.token_invalid').toBody());
      const file = { bytes: randomBytes(20_000_000), name: 'a.png', type: 'image/png' };
      await expect(codase.documents.send(READER, { name: 'Scan', file })).rejects.toMatchObject({ key: 'auth.token_invalid' });
    });

    it('are refused before anything is sent when they are too long or not JSON', async () => {
      const file = { bytes: new Uint8Array(25 * 1024 * 1024 + 1), name: 'a.png', type: 'image/png' };

      await expect(codase.documents.send(READER, { name: 'Scan', file })).rejects.toMatchObject({ key: 'documents.too_large' });
      await expect(codase.documents.send(READER, { name: 'Offer', json: undefined })).rejects.toThrow('json: must be');
      await expect(withoutHttp.documents.send(READER, { name: 'Scan', file: { ...file, bytes: file.bytes.subarray(1) } })).rejects.toThrow(
        'give connect() a `gateway`',
      );
      expect(names()).toEqual([]);
    });
  });

  describe('documents with an abort signal, over the bus', () => {
    const file = { bytes: PDF, name: 'Lease.pdf', type: 'application/pdf' };
    const why = new Error('the order was withdrawn');
    const offer = { name: 'Offer', json: 1 };
    const calls: [string, (signal: AbortSignal) => Promise<unknown>][] = [
      ['send', (signal) => withoutHttp.documents.send(READER, offer, { signal })],
      ['broadcast', (signal) => withoutHttp.documents.broadcast(offer, { signal })],
      ['replaceFile', (signal) => withoutHttp.documents.replaceFile('doc_1', file, { signal })],
      ['download', (signal) => withoutHttp.documents.download('doc_1', { signal })],
    ];

    it.each(calls)('%s sends no request when its signal was aborted before', async (_, call) => {
      await expect(call(AbortSignal.abort(why))).rejects.toBe(why);
      expect(names()).toEqual([]);
    });

    it.each(calls)('%s ends when its signal is aborted while the gateway does not answer', async (_, call) => {
      const stop = new AbortController();
      let answer: (late: unknown) => void = () => undefined;
      const late = new Promise((resolve) => (answer = resolve));
      for (const name of Object.keys(answers))
        answers[name] = () => {
          stop.abort(why);
          return late;
        };

      await expect(call(stop.signal)).rejects.toBe(why);
      answer(CONTRACT);
    });

    it("are not sent when the signal is aborted while the reader's key is read", async () => {
      const stop = new AbortController();
      answers['read_public_key'] = () => {
        stop.abort(why);
        return { share_code: 'BEN', public_key: ANA.public_key };
      };

      await expect(withoutHttp.documents.send({ share_code: 'BEN' }, offer, { signal: stop.signal })).rejects.toBe(why);
      await withoutHttp.documents.read('doc_1'); // comes behind whatever the call above has sent
      expect(names()).toEqual(['read_public_key', 'read_document']);
    });

    it('a linked file of a flow is not read when the signal was aborted before', async () => {
      const signal = AbortSignal.abort(why);
      const link = { connection_id: 'conn_1', flow: 'flow_1', slug: 'passport' };
      await expect(withoutHttp.flows.linkedFile(link, { signal })).rejects.toBe(why);
      expect(names()).toEqual([]);
    });
  });

  describe('documents whose file is replaced', () => {
    const file = { bytes: PDF, name: 'Lease.pdf', type: 'application/pdf' };
    const replaced = { id: 'doc_1', plain_sha256: sha256(PDF) };
    beforeEach(() => {
      answers['read_connection'] = () => ({ share_code: 'ANA' });
      answers['replace_document_file'] = () => replaced;
    });

    it('get the new file sealed to the same person, with its digest when it is to be signed', async () => {
      expect(await codase.documents.replaceFile('doc_1', file)).toEqual(replaced);

      const { params, body } = requests.at(-1)!.request as { params: object; body: { file: string; plain_sha256: string } };
      expect([params, body.plain_sha256]).toEqual([{ id: 'doc_1' }, sha256(PDF)]);
      expect(await opens(ANA, body.file)).toBe(envelopeOf(PDF));
    });

    it('get the new file as plaintext when they are broadcast, and without a digest when nobody signs', async () => {
      answers['read_document'] = () => ({ ...CONTRACT, requires_signature: false, connection_id: null });

      await codase.documents.replaceFile('doc_1', file);

      expect(names()).toEqual(['read_document', 'replace_document_file']);
      expect(requests.at(-1)!.request.body).toEqual({ file: JSON.parse(envelopeOf(PDF)) as object });
    });

    it("get a file too long for the bus through the gateway's HTTP server, with a retry when it fails", async () => {
      const bodies: string[] = [];
      const bytes = randomBytes(1_500_001);
      play = async (request, response) => {
        bodies.push(await text(request));
        expect([request.method, request.url]).toEqual(['PUT', '/v1/shop/replace_document_file?id=doc_1']);
        if (bodies.length === 1) json(response, 503, new Refusal('service.unavailable').toBody());
        else json(response, 200, replaced);
      };

      expect(await codase.documents.replaceFile('doc_1', { ...file, bytes: new Blob([bytes]) })).toEqual(replaced);

      const sent = JSON.parse(bodies[1]!) as { file: string; plain_sha256: string };
      expect([bodies.length, sent.plain_sha256]).toEqual([2, sha256(bytes)]);
      expect((await opens(ANA, sent.file)) === envelopeOf(bytes)).toBe(true);
    });

    it('keep their file when the platform refuses or the new file is too long', async () => {
      answers['replace_document_file'] = () => {
        throw new Refusal('documents.contract_immutable');
      };
      const long = { ...file, bytes: new Uint8Array(25 * 1024 * 1024 + 1) };

      await expect(codase.documents.replaceFile('doc_1', file)).rejects.toMatchObject({ key: 'documents.contract_immutable' });
      await expect(codase.documents.replaceFile('doc_1', long)).rejects.toMatchObject({ key: 'documents.too_large' });
    });
  });

  describe('documents that are cancelled', () => {
    const cancels = (now: Partial<CompanyDocument>, refusal?: 'documents.transition_invalid' | 'documents.not_found') => {
      answers['change_document'] = () => {
        if (refusal) throw new Refusal(refusal);
        return { ...CONTRACT, ...now };
      };
      answers['read_document'] = () => ({ ...CONTRACT, ...now });
    };

    it('end today or on a given later day', async () => {
      cancels({ status: 'ended' });
      expect(await codase.documents.cancel('doc_1')).toMatchObject({ status: 'ended' });
      await codase.documents.cancel('doc_1', { effective_date: '2026-12-31' });

      expect(requests.map(({ request }) => request.body)).toEqual([
        { status: 'ended' },
        { status: 'active_but_ending', cancel_effective_date: '2026-12-31' },
      ]);
    });

    it('are returned unchanged when the same cancellation is repeated, and other changes are refused', async () => {
      const ending = { status: 'active_but_ending', cancel_effective_date: '2026-12-31' } as const;
      cancels(ending, 'documents.transition_invalid');

      expect(await codase.documents.cancel('doc_1', { effective_date: '2026-12-31' })).toMatchObject(ending);
      for (const effective_date of ['2027-01-31', undefined])
        await expect(codase.documents.cancel('doc_1', { effective_date })).rejects.toMatchObject({ key: 'documents.transition_invalid' });
      cancels({}, 'documents.not_found');
      await expect(codase.documents.cancel('doc_1')).rejects.toMatchObject({ key: 'documents.not_found' });
    });
  });

  describe('documents that are downloaded', () => {
    /** Serves the company's copy as the platform does. */
    const serves = async (pdf: Uint8Array, to = SHOP) => {
      const wrapper = await seals(to, envelopeOf(pdf));
      servesText(JSON.stringify({ encrypted: true, value: wrapper }));
    };
    const servesText = (body: string, sha = sha256(Buffer.from(body)), type = 'application/json') =>
      (play = (_, response) => response.writeHead(200, { 'content-type': type, 'x-platform-content-sha256': sha }).end(body));
    const faultOf = async (options = {}) => {
      const error = await codase.documents.download('doc_1', options).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UnverifiedDocument);
      return (error as UnverifiedDocument).fault;
    };

    it('are opened and verified, over HTTP and over the bus', async () => {
      await serves(SEALED);
      const wrapper = await seals(SHOP, envelopeOf(SEALED));
      answers['read_document_file'] = () => ({ encrypted: true, value: wrapper });

      for (const client of [codase, withoutHttp]) {
        const { document, file, verification } = await client.documents.download('doc_1');

        expect(document).toEqual(CONTRACT);
        expect([file!.name, file!.type, Buffer.compare(file!.bytes, SEALED)]).toEqual(['Lease.pdf', 'application/pdf', 0]);
        expect(verification).toMatchObject({ verdict: 'sealed', signatures: [{ signed: { sha256: sha256(PDF) } }] });
      }
    });

    it('are verified also when they are long', async () => {
      const long = pdfOf(3_000_000);
      answers['read_document'] = () => ({ ...CONTRACT, plain_sha256: sha256(long) });
      const sealed = await seal(long, SEAL);
      await serves(sealed);

      expect(Buffer.compare((await codase.documents.download('doc_1')).file!.bytes, sealed)).toBe(0);
    });

    it('are accepted when the platform escapes the slashes in its JSON', async () => {
      const wrapper = await seals(SHOP, envelopeOf(SEALED));
      servesText(JSON.stringify({ encrypted: true, value: wrapper }).replaceAll('/', '\\/'));

      expect(await codase.documents.download('doc_1')).toMatchObject({ verification: { verdict: 'sealed' } });
    });

    it('are not returned when they are altered, extended, unsealed, or sealed by others', async () => {
      const altered = Buffer.from(SEALED);
      altered[altered.indexOf('xxx')] = 66;
      const cases: [Buffer, string][] = [
        [altered, 'altered'],
        [Buffer.concat([SEALED, Buffer.from('\n')]), 'altered_after_seal'],
        [PDF, 'not_signed'],
        [Buffer.from('no PDF at all'), 'unreadable'],
        [await seal(PDF, { ...SEAL, ...OTHER }), 'signed_by_others'],
      ];
      for (const [pdf, fault] of cases) {
        await serves(pdf);
        expect(await faultOf()).toBe(fault);
      }
    });

    it('are returned only when their digest matches the record or the one that the caller gives', async () => {
      await serves(SEALED);
      expect(await faultOf({ plain_sha256: sha256(Buffer.from('another one')) })).toBe('other_document');
      answers['read_document'] = () => ({ ...CONTRACT, plain_sha256: null });
      expect(await faultOf()).toBe('other_document');
      expect(await codase.documents.download('doc_1', { plain_sha256: sha256(PDF) })).toMatchObject({
        verification: { verdict: 'sealed' },
      });
    });

    it('are accepted with a newer seal certificate, unless the caller has pinned the certificates', async () => {
      const pinned = await connect({
        ...nats.credentials,
        service: 'shop',
        sealCertificates: [PLATFORM.certificate.toString()],
        log: silentLog,
      });
      const wrapper = await seals(SHOP, envelopeOf(await seal(PDF, { ...SEAL, ...OTHER })));
      answers['read_document_file'] = () => ({ encrypted: true, value: wrapper });
      await expect(withoutHttp.documents.download('doc_1')).rejects.toMatchObject({ fault: 'signed_by_others' });

      certificates = [pem(PLATFORM), pem(OTHER)];

      expect(await withoutHttp.documents.download('doc_1')).toMatchObject({ verification: { verdict: 'sealed' } });
      await expect(pinned.documents.download('doc_1')).rejects.toMatchObject({ fault: 'signed_by_others' });
      await pinned.close();
    });

    it('are unreadable when they are sealed to another key, changed, or not an envelope', async () => {
      await serves(SEALED, STRANGER);
      await expect(codase.documents.download('doc_1')).rejects.toMatchObject({ key: 'decryptor.unreadable' });
      for (const plaintext of ['{"file":"data:,x"}', 'no JSON', envelopeOf(SEALED).replace(/"size":\d+/, '"size":7')]) {
        servesText(JSON.stringify({ encrypted: true, value: await seals(SHOP, plaintext) }));
        await expect(codase.documents.download('doc_1')).rejects.toMatchObject({ key: 'decryptor.unreadable' });
      }
      const wrapper = await seals(SHOP, envelopeOf(SEALED));
      for (const body of [
        JSON.stringify({ encrypted: false, value: wrapper }),
        JSON.stringify({ encrypted: true, value: wrapper, more: 'a'.repeat(10_000) }),
        JSON.stringify({ encrypted: true, value: wrapper.replace(/"d":"..../, '"d":"AAAA') }),
        '{"encrypted":true',
      ]) {
        servesText(body);
        await expect(codase.documents.download('doc_1')).rejects.toMatchObject({ key: 'decryptor.unreadable' });
      }
    });

    it('are not taken as a broadcast when a digest is given, and not read without a limit', async () => {
      answers['read_document'] = () => ({ ...CONTRACT, connection_id: null, person_user_id: null });
      servesText(PDF.toString('latin1'), sha256(PDF), 'application/pdf');
      await expect(codase.documents.download('doc_1', { plain_sha256: sha256(PDF) })).rejects.toMatchObject({
        key: 'decryptor.unreadable',
      });

      play = (_, response) => {
        const chunk = Buffer.alloc(1024 * 1024);
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.writeHead(200, { 'content-type': 'text/plain' }).on('drain', more);
        more();
      };
      await expect(codase.documents.download('doc_1')).rejects.toMatchObject({ key: 'documents.too_large' });
    });

    it('are returned as plaintext when they are broadcast, and fail when they were damaged in transit', async () => {
      answers['read_document'] = () => ({ ...CONTRACT, connection_id: null, person_user_id: null });
      servesText('bytes of it', sha256(Buffer.from('bytes of it')), 'text/plain');
      const { file, verification } = await codase.documents.download('doc_1');
      expect([Buffer.from(file!.bytes).toString(), file!.type, verification]).toEqual(['bytes of it', 'text/plain', null]);

      servesText('bytes of it', sha256(Buffer.from('others')), 'text/plain');
      await expect(codase.documents.download('doc_1')).rejects.toMatchObject({ key: 'service.unavailable' });

      answers['read_document'] = () => ({ ...CONTRACT, payload_kind: 'json', connection_id: null, person_user_id: null });
      servesText('{"encrypted":false,"value":"{\\"open\\":9}"}');
      expect((await codase.documents.download('doc_1')).json).toEqual({ open: 9 });
    });

    it("fail with the platform's refusal", async () => {
      play = (_, response) => json(response, 409, new Refusal('documents.recipient_encrypted').toBody());
      await expect(codase.documents.download('doc_1')).rejects.toMatchObject({ key: 'documents.recipient_encrypted' });
      answers['read_document'] = () => {
        throw new Refusal('documents.not_found');
      };
      await expect(codase.documents.download('doc_1')).rejects.toMatchObject({ key: 'documents.not_found' });
    });
  });
});
