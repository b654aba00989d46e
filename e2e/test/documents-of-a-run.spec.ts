import { connect, type CodaseClient } from '@codase/client';
import { runs, type FlowDefinition } from '@codase/contracts';
import { verify } from '@codase/pdf';
import { many, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually, type OwnConnection, pdfThatShows, type Person, World } from '@codase/testing';
import { field, flowOf, inOrder, optional, stepOf } from '@codase/testing/flow-definition';
import { readFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';

const SIGNERS = [
  { party: 'customer', action: 'sign' as const },
  { party: 'company', action: 'sign' as const },
];

/** A flow in which a customer orders and may send papers, the company confirms, and both sign the contract and the papers. */
const CONTRACT: FlowDefinition = flowOf(
  [
    stepOf('customer', 'ask', 'Your order', [field('quantity', 'integer'), optional('papers', 'pdf_document')]),
    stepOf('company', 'confirm', 'Confirm', [field('price', 'decimal')], {
      output: {
        language_party: 'customer',
        documents: [
          { output_key: 'contract', name: 'Contract', rules: [{ asset_key: 'contract', languages: 'all' as const, signers: SIGNERS }] },
          {
            output_key: 'papers',
            name: 'Papers',
            rules: [{ source_field: 'papers', languages: 'all' as const, signers: SIGNERS.slice(0, 1) }],
          },
        ],
      },
    }),
  ],
  inOrder('ask', 'confirm'),
  { output_mode: 'document' as const },
);

const PAPERS = readFileSync('libs/pdf/test/fixtures/producers/reportlab.pdf');

describe("documents of a run, signed by a person and a company's own service @spec D2-4.3 @spec D2-8", () => {
  let world: World;
  let codase: CodaseClient;
  let flow_id: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us', 'gateway', 'feed-consumer', 'decryptor', 'flows'] });
    const begun = await world.acme.flows.begins(world.shop.service_id!);
    await world.acme.flows.uploads(begun, 'contract', templateOf(pdfThatShows('{{quantity}} for {{price}}{{nobody}}')));
    flow_id = (await world.acme.flows.publishes(world.shop.service_id!, { ...CONTRACT }, begun)).id;
    codase = await connect({ ...world.internalAddress, service: 'shop', gateway: world.gatewayHttp, log: silentLog });
    codase.flows.onTurn<{ confirm: { answers: { quantity?: number }; gives: { price: number } } }>(flow_id, {
      confirm: ({ answers }) => ({ price: 12.5 * (answers.quantity ?? 0) }),
    });
  });
  afterAll(async () => {
    await codase?.close();
    await world?.close();
  });

  const templateOf = (pdf: Buffer) => ({
    file: `data:application/pdf;base64,${pdf.toString('base64')}`,
    original_name: 'contract.pdf',
    mime_type: 'application/pdf',
    size: pdf.length,
  });
  const pdfOf = async (reader: Person, id: string) => {
    const { value } = (await reader.documents.fetches({ id })) as { value: string };
    const { file } = JSON.parse(await reader.opens(value)) as { file: string };
    return Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
  };
  const certificates = async () => {
    const db = await world.opensDatabase('region_eu');
    const rows = await many<{ certificate_pem: string }>(db, sql`select certificate_pem from seal_certificate`);
    await db.destroy();
    return rows.map(({ certificate_pem }) => new X509Certificate(certificate_pem));
  };
  const connected = async (region: 'eu' | 'us'): Promise<{ person: Person; connection: OwnConnection }> => {
    const person = await world.signsUp({ type: 'person', region });
    return { person, connection: await person.connections.connects('ACME/SHOP') };
  };

  it.each(['eu', 'us'] as const)(
    "are generated after the service's last step, signed by both sides and sealed, with a person of %s",
    async (region) => {
      const { person, connection } = await connected(region);
      const { flow_run_id: id } = await codase.flows.start(flow_id, {
        key: `contract-${region}`,
        target: { connection_id: connection.id },
      });
      const papers = await person.flows.attaches(connection, { id }, 'papers', JSON.stringify(templateOf(PAPERS)));
      await person.flows.answers(connection, { id }, { quantity: '3' }, { next_node: 'confirm' }, [papers]);

      const line = await eventually(async () => {
        const documents = await codase.flows.documents(id);
        return documents.length > 0 ? documents : undefined;
      });
      expect(line.map(({ output_key, party_key, own, open }) => ({ output_key, party_key, own, open }))).toEqual([
        { output_key: 'contract', party_key: 'customer', own: false, open: true },
        { output_key: 'papers', party_key: 'customer', own: false, open: false },
        { output_key: 'contract', party_key: 'company', own: true, open: false },
        { output_key: 'papers', party_key: 'company', own: true, open: false },
      ]);
      const [contract, ofPapers] = line.map(({ document_id }) => document_id) as [string, string];
      expect(await pdfOf(person, ofPapers)).toEqual(PAPERS); // it has no tags, so it is as the person gave it

      await person.documents.signs({ id: contract }, await pdfOf(person, contract));
      await person.documents.signs({ id: ofPapers }, PAPERS);
      await eventually(async () => (await codase.flows.documents(id)).some(({ own, open }) => own && open) || undefined);
      const signer = { method: 'custodian', first_name: 'Grace', last_name: 'Example' } as const;
      const signed = await codase.flows.sign(id, 'contract', signer);
      expect(signed).toMatchObject({ output_key: 'contract', document_status: 'active' });
      expect(await codase.flows.sign(id, 'contract', signer)).toEqual(signed); // as a handler does that runs twice

      expect(await world.shop.asks(runs.readRun, { params: { runId: id } })).toMatchObject({ status: 'completed', current_node: null });
      const sealed = await codase.flows.outputFile(id, 'contract');
      expect(sealed.bytes!.equals(await pdfOf(person, contract))).toBe(true);
      const { verification } = await codase.documents.download(signed.document_id);
      expect(verification).toMatchObject({ verdict: 'sealed' });
      const report = verify(Buffer.from(sealed.bytes!), { certificates: await certificates() });
      expect(report).toMatchObject({ verdict: 'sealed' });
    },
  );
});
