import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { appDocuments, documents, UPLOAD_BODY_BYTES, type Endpoint } from '@cds/contracts';
import { many, openDatabase, sql } from '@cds/runtime/db';
import { eventually, World, type OwnConnection, type Person } from '@cds/testing';
import type { DataSource } from 'typeorm';

const MB = 1024 * 1024;
/** As the payload of a document begins. */
const BEGINS = '{"name":"Offer","payload_kind":"json","target":{"share_code":"ANA"},"value":"';
const AT_ONCE = 40;

describe('documents on their way in, by callers who mean no good @spec D1-2.12 @gap D1-7', () => {
  let world: World;
  let db: DataSource;
  let ana: Person;
  let connection: OwnConnection;
  let service: string;
  let person: string;
  const opened: Socket[] = [];
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    db = await openDatabase({ url: world.databaseUrl('region_eu'), name: 'uploads-test', pool: 1 });
    ana = world.person('ANA');
    connection = await ana.connections.connects('ACME/SHOP');
    service = (await world.shop.getsToken()).access_token;
    person = (await ana.getsToken()).access_token;
  });
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy();
  });
  afterAll(async () => {
    await db?.destroy();
    await world?.close();
  });

  const uploads = async () => (await many(db, sql`select from document_content where document_id is null`)).length;
  const stored = async () => (await many(db, sql`select from document`)).length;

  /** Sends as it is; what is answered is heard from the function that this resolves with. */
  const sends = async ({ method, path }: Endpoint, headers: readonly string[], body = ''): Promise<() => string> => {
    const { hostname, port } = new URL(world.regionUrl('eu'));
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    opened.push(socket);
    await once(socket, 'connect');
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    socket.write([`${method} ${path.replace('{id}', 'doc_1')} HTTP/1.1`, 'host: here', ...headers, '', body].join('\r\n'));
    return () => said;
  };
  const answered = (said: () => string) => eventually(async () => /\r\n\r\n.*error_key":"([\w.]+)/s.exec(said())?.[1]);
  const of = (token: string, ...headers: string[]) => [`authorization: Bearer ${token}`, 'content-type: application/json', ...headers];

  const UPLOADS = [documents.createDocument, documents.replaceDocumentFile, appDocuments.signDocument, appDocuments.acceptDocument];
  const tokenFor = (contract: Endpoint) => (contract.callers.includes('service') ? service : person);

  it.each(UPLOADS.map((contract) => [contract.name, contract] as const))(
    '%s is refused by its length alone, and to strangers whatever its length',
    async (_, contract) => {
      const long = `content-length: ${UPLOAD_BODY_BYTES + 1}`;

      const said = [await sends(contract, of(tokenFor(contract), long)), await sends(contract, of('forged', 'content-length: 40000000'))];

      expect(await Promise.all(said.map(answered))).toEqual(['request.too_large', 'auth.token_invalid']);
      expect(said[0]!()).toMatch(/^HTTP\/1\.1 413 /);
    },
  );

  it('is refused where a long text is no payload that can rest while it comes', async () => {
    const text = `${BEGINS}${'no base64 '.repeat(120_000)}`;

    const said = await sends(documents.createDocument, of(service, `content-length: ${20 * MB}`), text);

    expect(await answered(said)).toBe('request.too_large');
    expect([await uploads(), await stored()]).toEqual([0, 0]);
  });

  it('are many at once, dripped or broken off: others are served meanwhile, and nothing stays of them', async () => {
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

  it('are taken as XML as well, and gathered', async () => {
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
});
