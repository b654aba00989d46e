import { connect, type CodaseClient } from '@codase/client';
import { BinaryAnswer, connections, customer, SEALED_CHARS, type Sealed } from '@codase/contracts';
import { verifiedHash } from '@codase/crypto';
import { silentLog } from '@codase/runtime/telemetry';
import { World, type Person } from '@codase/testing';
import { json } from 'node:stream/consumers';
import { asksFor } from './asks-for.ts';

const SCAN = { slug: 'scan', label: 'A scan', type: 'document' } as const;
/** As long as the data URI of a document of some megabytes. */
const FILE = JSON.stringify({
  file: `data:application/pdf;base64,${'JVBERi0x'.repeat(600_000)}`,
  original_name: 'scan.pdf',
  mime_type: 'application/pdf',
  size: 3_600_000,
});

describe('a private file of several megabytes @spec D1-2.8', () => {
  let world: World;
  let codase: CodaseClient;
  let ana: Person;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'gateway', 'decryptor'] });
    ana = world.person('ANA');
    await asksFor(world, [SCAN]);
    codase = await connect({ ...world.internalAddress, service: 'shop', gateway: world.gatewayHttp, log: silentLog });
  });
  afterAll(async () => {
    await codase?.close();
    await world?.close();
  });

  /** Downloads the file as an internal service does: the wrapper comes by the gateway's HTTP server. */
  async function downloads(): Promise<Sealed> {
    const {
      items: [connection],
    } = await codase.request(connections.listConnections, { query: {} });
    const { fields } = await codase.request(connections.readConnection, { params: { connectionId: connection!.id } });
    const params = { connectionId: connection!.id, serviceFieldId: fields.find(({ slug }) => slug === 'scan')!.service_field_id };
    const answer = BinaryAnswer.parse(await json((await codase.download(connections.readSlotFile, { params })).body));
    if (!('encrypted' in answer && answer.encrypted)) throw new Error('not sealed');
    return answer.value;
  }

  it("is opened by the company's own service, which has no private key", async () => {
    await ana.asks(customer.connect, {
      body: { code: 'ACME/SHOP', values: [{ slug: 'scan', value: await ana.sealsFor(world.shop, FILE) }] },
    });
    const value = await downloads();
    expect(value.length).toBeGreaterThan(20 * SEALED_CHARS);
    const verification = { verified_salt: 'pepper', verified_hash: await verifiedHash('pepper', FILE) };

    const [opened] = await codase.open([{ value, verification, field_type: 'document' }]);

    expect(opened).toEqual({ plaintext: FILE, attested: true }); // the value is not checked against its type
  });
});
