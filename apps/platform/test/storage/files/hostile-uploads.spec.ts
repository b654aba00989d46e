import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { appDocuments, customerRuns, documents, ownerRuns, runs, UPLOAD_BODY_BYTES, type Endpoint } from '@codase/contracts';
import { many, sql } from '@codase/runtime/db';
import { PROCESS_BODY_MEMORY } from '@codase/runtime/http';
import { elapsedMs, eventually, World, type OwnConnection, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { takesMemory } from '../../support/served-files.ts';

const MB = 1024 * 1024;
/** The beginning of the body of a document, up to its value. */
const BEGINS = '{"name":"Offer","payload_kind":"json","target":{"share_code":"ANA"},"value":"';
const AT_ONCE = 40;

describe('hostile document uploads @spec D1-2.12 @gap D1-7', () => {
  let world: World;
  let db: DataSource;
  let ana: Person;
  let connection: OwnConnection;
  let service: string;
  let person: string;
  let account: string;
  const opened: Socket[] = [];
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    db = await world.opensDatabase('region_eu');
    ana = world.person('ANA');
    connection = await ana.connections.connects('ACME/SHOP');
    service = (await world.shop.getsToken()).access_token;
    person = (await ana.getsToken()).access_token;
    account = (await world.automation.getsToken()).access_token;
  });
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy();
  });
  afterAll(() => world?.close());

  const uploads = async () => (await many(db, sql`select from document_content where document_id is null`)).length;
  const stored = async () => (await many(db, sql`select from document`)).length;

  /** Sends the request exactly as given. Returns a function that returns what the server has answered so far. */
  const sends = async ({ method, path }: Endpoint, headers: readonly string[], body = ''): Promise<() => string> => {
    const { hostname, port } = new URL(world.regionUrl('eu'));
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    opened.push(socket);
    await once(socket, 'connect');
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    socket.write([`${method} ${path.replaceAll(/\{\w+\}/g, 'some_1')} HTTP/1.1`, 'host: localhost', ...headers, '', body].join('\r\n'));
    return () => said;
  };
  const answered = (said: () => string) => eventually(async () => /\r\n\r\n.*error_key":"([\w.]+)/s.exec(said())?.[1]);
  const of = (token: string, ...headers: string[]) => [`authorization: Bearer ${token}`, 'content-type: application/json', ...headers];

  const UPLOADS = [documents.createDocument, documents.replaceDocumentFile, appDocuments.signDocument, appDocuments.acceptDocument];
  const tokenFor = ({ callers }: Endpoint) => (callers.includes('person') ? person : callers.includes('service') ? service : account);

  it.each(UPLOADS.map((contract) => [contract.name, contract] as const))(
    '%s refuses an oversized upload by its Content-Length, and any upload without a valid token',
    async (_, contract) => {
      const long = `content-length: ${UPLOAD_BODY_BYTES + 1}`;

      const said = [await sends(contract, of(tokenFor(contract), long)), await sends(contract, of('forged', 'content-length: 40000000'))];

      expect(await Promise.all(said.map(answered))).toEqual(['request.too_large', 'auth.token_invalid']);
      expect(said[0]!()).toMatch(/^HTTP\/1\.1 413 /);
    },
  );

  const RUN_UPLOADS: [contract: Endpoint, key: string][] = [
    [runs.stageRunFile, 'documents.too_large'],
    [ownerRuns.stageOwnRunFile, 'documents.too_large'],
    [runs.uploadAnswerFile, 'flows.answer_file_too_large'],
    [customerRuns.uploadCustomerAnswerFile, 'flows.answer_file_too_large'],
  ];
  it.each(RUN_UPLOADS.map(([contract, key]) => [contract.name, contract, key] as const))(
    '%s refuses an oversized upload by its Content-Length, with the error key of the specification @spec D2-7',
    async (_, contract, key) => {
      const token = tokenFor(contract);
      const [json, xml] = [of(token), [`authorization: Bearer ${token}`, 'content-type: application/xml']];

      const said = [json, xml].map((headers) => sends(contract, [...headers, `content-length: ${UPLOAD_BODY_BYTES + 1}`]));

      for (const answer of await Promise.all(said)) {
        expect(await answered(answer)).toBe(key);
        expect(answer()).toMatch(/^HTTP\/1\.1 400 /);
      }
    },
  );

  it('are refused during the transfer when a long text is not a valid payload', async () => {
    const text = `${BEGINS}${'no base64 '.repeat(120_000)}`;

    const said = await sends(documents.createDocument, of(service, `content-length: ${20 * MB}`), text);

    expect(await answered(said)).toBe('request.too_large');
    expect([await uploads(), await stored()]).toEqual([0, 0]);
  });

  it('are parsed in time linear to their length, even with many escaped quotes', async () => {
    const behind = `","file":"${'A'.repeat(5000)}"}`;
    const refuses = async (text: string) => {
      const body = `{"name":"${text}${behind}`;
      const said = await sends(documents.createDocument, of(service, `content-length: ${body.length}`), body);
      expect(await answered(said)).toBe('contact_data.encryption_required');
    };

    const plainMs = await elapsedMs(() => refuses('a '.repeat(500_000)));

    expect(await elapsedMs(() => refuses('\\"'.repeat(500_000)))).toBeLessThan(100 * plainMs);
  });

  it('are buffered for their readers only when there is memory, and otherwise refused with 503', async () => {
    const text = JSON.stringify({ text: 'x'.repeat(200_000) });
    const creates = (members: object) =>
      world.shop.asks(documents.createDocument, { body: { name: 'Terms', payload_kind: 'json', ...members } as never });
    const [terms, offer] = [
      await creates({ value: text }),
      await creates({ value: await world.shop.sealsFor(ana, text), target: { share_code: 'ANA' } }),
    ];
    const reads = async ({ id }: { id: string }, accept: string) => {
      const headers = { authorization: `Bearer ${person}`, accept };
      const answer = await fetch(`${world.regionUrl('eu')}${appDocuments.readReceivedFile.path.replace('{id}', id)}`, { headers });
      return `${answer.status} ${/service\.overloaded/.exec(await answer.text())?.[0] ?? ''}`;
    };
    const all = async () => [
      await reads(terms, 'application/json'),
      await reads(terms, 'application/xml'),
      await reads(offer, 'application/xml'),
      await reads(offer, 'application/json'),
    ];

    const releases = takesMemory();
    const without = await all().finally(releases);

    const refused = '503 service.overloaded';
    expect(without).toEqual([refused, refused, refused, '200 ']);
    expect(await all()).toEqual(Array(4).fill('200 '));
    await eventually(async () => PROCESS_BODY_MEMORY.callers.inUse === 0 || undefined);
  });

  it('leave nothing behind when they are slow, concurrent or aborted, and do not block others', async () => {
    const lengths = [`content-length: ${20 * MB}`, 'transfer-encoding: chunked'];
    const begun = `${BEGINS}${'QUJD'.repeat(60_000)}`;
    const chunk = `${begun.length.toString(16)}\r\n${begun}\r\n`;
    for (let nth = 0; nth < AT_ONCE; nth++)
      await sends(documents.createDocument, of(service, lengths[nth % 2]!), nth % 2 === 0 ? begun : chunk);
    await eventually(async () => (await uploads()) === AT_ONCE || undefined);

    const message = await ana.messages.writes(connection, 'Is it in stock?');
    const offer = await world.shop.documents.issues(ana);

    expect([message.connection_id, offer.status]).toEqual([connection.id, 'active']);
    for (const socket of opened.splice(0)) socket.destroy();
    await eventually(async () => (await uploads()) === 0 || undefined);
    expect(
      await many(db, sql`select from document_piece p where not exists (select from document_content c where c.content_id = p.content_id)`),
    ).toEqual([]);
  });

  /** Bodies whose text is in the clear. The target, which says that the document is for one person, comes only after the text. */
  const IN_CLEAR = [
    [
      'a file',
      (text: string) => ({ file: { file: `data:text/plain;base64,${text}`, original_name: 'a', mime_type: 'text/plain', size: 9 } }),
    ],
    ['a file without its envelope', (text: string) => ({ file: text })],
    ['JSON', (text: string) => ({ value: JSON.stringify({ text }) })],
    ['what begins as no wrapper does', (text: string) => ({ value: JSON.stringify({ _enc: 1, d: text }) })],
  ] as const;

  it.each(IN_CLEAR)('are never stored readably when they contain %s in plaintext and are addressed to one person', async (_, payloadOf) => {
    const text = Buffer.alloc(450_000, 'nobody else reads this. ').toString('base64');
    const payload = payloadOf(text);
    const body = JSON.stringify({ name: 'Offer', payload_kind: 'file' in payload ? 'file' : 'json', ...payload });
    const behind = ',"target":{"share_code":"ANA"}}';
    const length = `content-length: ${body.length - 1 + behind.length}`;

    const said = await sends(documents.createDocument, of(service, length), body.slice(0, -1));
    const pieces = await eventually(async () => {
      const found = await many<{ bytes: Buffer; is_referenced: boolean }>(
        db,
        sql`select p.bytes, c.piece_key is not null as is_referenced from document_piece p join document_content c using (content_id)
             where c.document_id is null`,
      );
      return found.length > 1 ? found : undefined;
    });
    opened.at(-1)!.write(behind);

    for (const { bytes } of pieces) expect([bytes.includes('nobody else'), bytes.includes(text.slice(9, 33))]).toEqual([false, false]);
    expect(pieces.every(({ is_referenced }) => !is_referenced)).toBe(true);
    expect(await answered(said)).toMatch(/^(contact_data.encryption_required|request.invalid)$/);
    expect(await uploads()).toBe(0);
  });

  it('are also accepted as XML, which is buffered', async () => {
    const value = await world.shop.sealsFor(ana, '{"price":12}');
    const members = { name: 'Offer', payload_kind: 'json', value };
    const xml = `<request>${Object.entries(members)
      .map(([name, text]) => `<${name}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`)
      .join('')}<target><share_code>ANA</share_code></target></request>`;

    const answer = await fetch(`${world.regionUrl('eu')}${documents.createDocument.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service}`, 'content-type': 'application/xml' },
      body: xml,
    });

    expect([answer.status, await uploads()]).toEqual([201, 0]);
  });

  describe('acts on an uploaded document', () => {
    const NAMES = { method: 'email', signer_first_name: 'Ada', signer_last_name: 'Example' };
    const BOX = { otk: Buffer.alloc(32, 1).toString('base64'), file: Buffer.alloc(40, 1).toString('base64') };
    const asks = async (token: string, path: string, body: string, type = 'application/json') => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type, accept: 'application/json' };
      const answer = await fetch(`${world.regionUrl('eu')}${path}`, { method: 'POST', headers, body });
      const { error_key = '', status = '' } = JSON.parse(await answer.text()) as { error_key?: string; status?: string };
      return `${answer.status} ${error_key}${status}`;
    };
    const sign = ({ id }: { id: string }) => appDocuments.signDocument.path.replace('{id}', id);
    let offer: { id: string };
    beforeAll(async () => {
      offer = await world.shop.documents.issues(ana, { requires_signature: true });
    });

    it.each<[string, unknown]>([
      ['a key of 31 bytes', { ...NAMES, ...BOX, otk: Buffer.alloc(31).toString('base64') }],
      ['a key of 33 bytes', { ...NAMES, ...BOX, otk: Buffer.alloc(33).toString('base64') }],
      ['a key that is no base64', { ...NAMES, ...BOX, otk: `${BOX.otk.slice(0, -2)}!=` }],
      ['a key in the alphabet of URLs', { ...NAMES, ...BOX, otk: Buffer.alloc(32, 0xff).toString('base64').replaceAll('/', '_') }],
      ['a file without padding', { ...NAMES, ...BOX, file: BOX.file.replaceAll('=', '') }],
      ['a file that holds nothing', { ...NAMES, ...BOX, file: '' }],
      ['a key without a file', { ...NAMES, otk: BOX.otk }],
      ['another method', { ...NAMES, method: 'fax' }],
      ['a name with a NUL', { ...NAMES, signer_first_name: 'A\u0000da' }],
      ['a name without an end', { ...NAMES, signer_last_name: 'x'.repeat(100_000) }],
      ['no name', { ...NAMES, signer_last_name: ' ' }],
      ['a verified name of its own', { ...NAMES, signer_name_verified: true }],
      ['a list', [NAMES]],
      ['null', null],
    ])('are refused with %s', async (_, body) => {
      expect(await asks(person, sign(offer), JSON.stringify(body))).toBe('400 request.invalid');
    });

    it.each([
      ['entities that grow', '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><request><method>&c;</method></request>'],
      ['elements without an end', '<a>'.repeat(50_000)],
      ['members twice', '<request><method>email</method><method>twofa</method></request>'],
    ])('are refused as XML with %s', async (_, xml) => {
      expect(await asks(person, sign(offer), xml, 'application/xml')).toBe('400 request.invalid');
    });

    it('are refused to callers of another kind', async () => {
      expect(await asks(service, sign(offer), JSON.stringify(NAMES))).toBe('403 auth.client_endpoint_forbidden');
      expect(await asks(person, documents.createDocument.path, `${BEGINS}"}`)).toBe('403 auth.client_endpoint_forbidden');
    });

    it('are accepted as XML, once', async () => {
      const xml = `<request>${Object.entries(NAMES)
        .map(([name, text]) => `<${name}>${text}</${name}>`)
        .join('')}</request>`;

      expect(await asks(person, sign(offer), xml, 'application/xml')).toBe('200 active');
      expect(await asks(person, sign(offer), xml, 'application/xml')).toBe('409 documents.transition_invalid');
    });

    it.each([
      ['many members', Object.fromEntries(Array.from({ length: 51 }, (_, nth) => [`m${nth}`, nth]))],
      ['a long name', { ['x'.repeat(1000)]: 1 }],
      ['a long text', { note: 'x'.repeat(2001) }],
      ['members in members', { note: { deep: 1 } }],
      ['a flag that is text', { can_be_cancelled_in_app: 'yes' }],
    ])('refuse metadata with %s', async (_, metadata) => {
      const body = JSON.stringify({ name: 'Hours', payload_kind: 'json', value: '{}', metadata });

      expect(await asks(service, documents.createDocument.path, body)).toBe('400 request.invalid');
    });
  });
});
