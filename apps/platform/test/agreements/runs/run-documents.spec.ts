import { account, connections, customerRuns, documents, runs, type FeedEvent, type FlowDefinition, type Run } from '@codase/contracts';
import { createOneTimeKey, sealBox } from '@codase/crypto';
import { verify } from '@codase/pdf';
import { many, sql } from '@codase/runtime/db';
import {
  type Backend,
  customerSide,
  everyRow,
  generates,
  type OwnConnection,
  ownerSide,
  pdfThatShows,
  serviceSide,
  World,
} from '@codase/testing';
import { X509Certificate } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { refused } from '../../sharing/connections/connections-world.ts';
import { contractWith, idOf, leafOf, lineOf, openedPdf, publishesContract, sha256, tagsLeft } from './run-documents-world.ts';

const VALUES = { quantity: '3', order_number: 'A-17' };

describe('documents of runs @spec D2-2.4 @spec D2-3 @spec D2-4.3 @spec D2-8', () => {
  let world: World;
  let shop: Backend;
  let db: DataSource;
  let flow: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    shop = world.shop;
    db = await world.opensDatabase('region_eu', { pool: 2 });
    flow = await publishes(contractWith());
  });
  afterAll(() => world?.close());

  const publishes = (draft: FlowDefinition, templates?: Record<string, Buffer>) =>
    publishesContract(world.acme, shop.service_id!, draft, templates);
  const connected = async (region: 'eu' | 'us' = 'eu') => {
    const person = await world.signsUp({ type: 'person', region });
    return { person, connection: await person.connections.connects('ACME/SHOP') };
  };
  const starts = (with_: OwnConnection, of = flow) => shop.flows.starts(of, { target: { connection_id: with_.id }, flow_version: 1 });
  /** Plays a run to its document leaf, which the company answers. */
  const atLeaf = async (region: 'eu' | 'us' = 'eu', of = flow) => {
    const { person, connection } = await connected(region);
    const run = await starts(connection, of);
    await person.flows.answers(connection, run, { quantity: '3' }, { next_node: 'confirm' });
    await shop.flows.answers(run, { order_number: 'A-17' }, { leaf: true }, [person]);
    return { run, person, connection };
  };
  const generated = async (region: 'eu' | 'us' = 'eu', of = flow) => {
    const played = await atLeaf(region, of);
    return { ...played, made: await generates(serviceSide(shop), played.run.id, { values: VALUES }) };
  };
  const eventsOf = async ({ id }: Pick<Run, 'id'>, documents_: readonly { document_id: string }[]): Promise<string[]> => {
    const ids = documents_.map(({ document_id }) => document_id);
    const rows = await many<{ body: FeedEvent & Record<string, unknown> }>(
      db,
      sql`
      select body from feed_event
       where channel = ${shop.service_id} and (body ->> 'flow_run_id' = ${id} or body ->> 'document_id' = any(${ids}::text[]))
       order by seq`,
    );
    return rows.map(({ body }) => [body.event, body['awaiting_party'] ?? body['status'], body['action']].filter(Boolean).join(' '));
  };
  const certificates = async () =>
    (await many<{ certificate_pem: string }>(db, sql`select certificate_pem from seal_certificate`)).map(
      ({ certificate_pem }) => new X509Certificate(certificate_pem),
    );
  const uploads = async () => (await many(db, sql`select from document_content where document_id is null`)).length;

  it.each(['eu', 'us'] as const)('are generated, signed in order and sealed, with a person of %s', async (region) => {
    const { run, person, connection } = await atLeaf(region);
    expect(await shop.flows.reads(run)).toMatchObject({ status: 'generating', current_node: 'confirm' });

    const made = await generates(serviceSide(shop), run.id, { values: VALUES });

    expect(made).toEqual({
      documents: [
        { output_key: 'contract', party_key: 'customer', document_id: expect.stringMatching(/^doc_/), position: 1 },
        { output_key: 'contract', party_key: 'company', document_id: expect.stringMatching(/^doc_/), position: 2 },
      ],
      status: 'awaiting_signature',
    });
    expect(lineOf(await shop.flows.reads(run))).toEqual(['contract customer 1 ready_to_sign -', 'contract company 2 waiting -']);
    const pdf = await openedPdf(person, await person.documents.fetches(idOf(made, 'customer')));
    expect(tagsLeft(pdf)).toEqual([]);
    expect(await openedPdf(shop, await shop.flows.fetchesOutput(run, 'contract'))).toEqual(pdf);
    await expect(shop.flows.signsOutput(run, 'contract', pdf)).rejects.toEqual(refused('documents.transition_invalid', 409));

    await world.passes({ seconds: 1 });
    const signed = await person.documents.signs(idOf(made, 'customer'), pdf);

    expect(signed).toMatchObject({
      status: 'active',
      flow_run_id: run.id,
      sealed_at: null,
      plain_sha256: sha256(pdf),
      run_signatures: [
        { party_key: 'customer', position: 1, status: 'active', action: 'signed', acted_at: world.now.toISOString() },
        { party_key: 'company', position: 2, status: 'ready_to_sign', action: null, acted_at: null },
      ],
    });
    expect(await shop.flows.signsOutput(run, 'contract', pdf)).toMatchObject({ status: 'active', sealed_at: world.now.toISOString() });

    const done = await person.flows.reads(connection, run);
    expect([done.status, done.current_node, ...lineOf(done)]).toEqual([
      'completed',
      null,
      'contract customer 1 active signed',
      'contract company 2 active signed',
    ]);
    const sealed = await openedPdf(person, await person.documents.fetches(idOf(made, 'customer')));
    expect(verify(sealed, { certificates: await certificates() })).toMatchObject({ verdict: 'sealed' });
    expect(sealed.subarray(0, pdf.length)).toEqual(pdf);
    expect(await openedPdf(shop, await shop.flows.fetchesOutput(run, 'contract'))).toEqual(sealed);
    expect(await person.documents.reads(idOf(made, 'customer'))).toMatchObject({ sealed_at: world.now.toISOString() });
    expect(await eventsOf(run, made.documents)).toEqual([
      'flow_run_turn customer',
      'flow_run_turn company',
      'document_created',
      'flow_run_turn customer',
      'document_status_changed active signed',
      'document_status_changed ready_to_sign',
      'flow_run_turn company',
      'document_status_changed active signed',
      'flow_completed',
    ]);
    expect(await uploads()).toBe(0);
  });

  it('are the same set when they are generated again, also concurrently', async () => {
    const { run } = await atLeaf();

    const [one, other] = await Promise.all([1, 2].map(() => generates(serviceSide(shop), run.id, { values: VALUES })));

    expect(other).toEqual(one);
    expect(await generates(serviceSide(shop), run.id, { values: VALUES })).toEqual(one);
    expect(await uploads()).toBe(0);
  });

  it.each(['eu', 'us'] as const)(
    'are generated by a customer of %s who answered last, from the PDFs that participants uploaded',
    async (region) => {
      const own = await publishes(
        contractWith((definition) => {
          const leaf = leafOf(definition);
          definition.nodes[0]!.elements.push({ kind: 'field', slug: 'lease', label: 'Lease', type: 'pdf_document', required: false });
          leaf.party = 'customer';
          leaf.output!.documents[0]!.rules.unshift({
            source_field: 'lease',
            languages: 'all',
            signers: [{ party: 'company', action: 'accept' }],
          });
        }),
      );
      const { person, connection } = await connected(region);
      const run = await starts(connection, own);
      const lease = pdfThatShows('A lease for {{order_number}}.');
      const attached = await person.flows.attaches(connection, run, 'lease', envelopeText(lease));
      await person.flows.answers(connection, run, { quantity: '3' }, { next_node: 'confirm' }, [attached]);
      await person.flows.answers(connection, run, { order_number: 'A-17' }, { leaf: true });
      const side = customerSide(person, connection);

      await expect(generates(serviceSide(shop), run.id, { values: VALUES })).rejects.toEqual(refused('flows.not_your_turn', 403));
      await expect(generates(side, run.id, { values: VALUES })).rejects.toEqual(refused('flows.generate_inputs_mismatch', 400));
      await expect(generates(side, run.id, { values: VALUES, pdfs: { 'field:lease': Buffer.from('no PDF') } })).rejects.toEqual(
        refused('flows.source_pdf_invalid', 400),
      );
      const made = await generates(side, run.id, { values: VALUES, pdfs: { 'field:lease': lease } });

      expect(lineOf(await person.flows.reads(connection, run))).toEqual(['contract company 1 offering -', 'contract customer - active -']);
      const pdf = await openedPdf(person, await person.documents.fetches(idOf(made, 'customer')));
      expect(tagsLeft(pdf)).toEqual([]);
      expect(await many(db, sql`select from flow_run_input where run_id = ${run.id}`)).toEqual([]);
      expect(await shop.flows.acceptsOutput(run, 'contract', pdf)).toMatchObject({ status: 'active' });
      expect(await shop.flows.reads(run)).toMatchObject({ status: 'completed' });
    },
  );

  it('have one signing line, by position and then by output, and each output is sealed at its own last act @spec D2-8', async () => {
    const two = await publishes(
      contractWith((definition) => {
        const [contract] = leafOf(definition).output!.documents;
        leafOf(definition).output!.documents.push({
          ...structuredClone(contract!),
          output_key: 'terms',
          name: 'Terms',
          rules: [{ asset_key: 'contract', languages: 'all', signers: [{ party: 'customer', action: 'accept' }] }],
        });
      }),
    );
    const { run, person, connection, made } = await generated('eu', two);
    expect(lineOf(await shop.flows.reads(run))).toEqual([
      'contract customer 1 ready_to_sign -',
      'terms customer 2 waiting -',
      'contract company 3 waiting -',
      'terms company - active -',
    ]);
    const pdf = await openedPdf(person, await person.documents.fetches(idOf(made, 'customer')));
    const terms = await openedPdf(person, await person.documents.fetches(idOf(made, 'customer', 'terms')));

    await expect(person.documents.accepts(idOf(made, 'customer', 'terms'), terms)).rejects.toEqual(
      refused('documents.transition_invalid', 409),
    );
    await person.documents.signs(idOf(made, 'customer'), pdf);
    expect(await person.documents.accepts(idOf(made, 'customer', 'terms'), terms)).toMatchObject({ sealed_at: expect.any(String) });

    expect(await person.documents.reads(idOf(made, 'customer'))).toMatchObject({ status: 'active', sealed_at: null });
    await shop.flows.signsOutput(run, 'contract', pdf);
    expect(await person.flows.reads(connection, run)).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['the person declines', async ({ person, made }: Signing) => person.documents.declines(idOf(made, 'customer'))],
    ['the company cancels the run', async ({ run }: Signing) => shop.flows.cancels(run)],
    [
      'the connection ends',
      async ({ connection }: Signing) => shop.asks(connections.endConnection, { params: { connectionId: connection.id } }),
    ],
  ])('end, whether open or waiting, when %s', async (_, ends) => {
    const signing = await generated();

    await ends(signing);

    const { run, made, person } = signing;
    expect(await shop.flows.reads(run)).toMatchObject({ status: 'cancelled', current_node: null });
    expect(lineOf(await shop.flows.reads(run))).toEqual(['contract customer 1 ended -', 'contract company 2 ended -']);
    const pdf = await openedPdf(person, await person.documents.fetches(idOf(made, 'customer')));
    await expect(person.documents.signs(idOf(made, 'customer'), pdf)).rejects.toEqual(refused('documents.transition_invalid', 409));
    await expect(shop.flows.signsOutput(run, 'contract', pdf)).rejects.toEqual(refused('documents.transition_invalid', 409));
    await expect(generates(serviceSide(shop), run.id, { values: VALUES })).rejects.toEqual(refused('flows.not_generatable', 409));
  });

  it('cannot be changed, replaced or deleted by the company while the run is open @spec D2-7', async () => {
    const { made, person, run } = await generated();
    for (const party of ['customer', 'company']) {
      const id = idOf(made, party);
      await expect(shop.documents.changes(id, { status: 'ended' })).rejects.toEqual(refused('documents.run_managed', 409));
      await expect(shop.documents.deletes(id)).rejects.toEqual(refused('documents.run_managed', 409));
      const file = { params: id, body: { file: (await shop.flows.fetchesOutput(run, 'contract')).value as never } };
      await expect(shop.asks(documents.replaceDocumentFile, file)).rejects.toEqual(refused('documents.run_managed', 409));
    }
    const pdf = await openedPdf(shop, await shop.flows.fetchesOutput(run, 'contract'));
    await person.documents.signs(idOf(made, 'customer'), pdf);
    await shop.flows.signsOutput(run, 'contract', pdf);

    await expect(shop.asks(connections.endConnection, { params: { connectionId: run.connection_id! } })).rejects.toEqual(
      refused('company_connections.active_contract', 409),
    );
    for (const party of ['customer', 'company'])
      expect(await shop.documents.changes(idOf(made, party), { status: 'ended' })).toMatchObject({ status: 'ended' });
  });

  it('refuse a signature over another PDF, and store nothing', async () => {
    const { made, person } = await generated();

    await expect(person.documents.signs(idOf(made, 'customer'), pdfThatShows('You pay nothing.'))).rejects.toEqual(
      refused('documents.file_invalid', 400),
    );
    await expect(person.documents.signs(idOf(made, 'customer'))).rejects.toEqual(refused('request.invalid', 400));
    expect(await person.documents.reads(idOf(made, 'customer'))).toMatchObject({ status: 'ready_to_sign', signatures: [] });
  });

  it("are chosen by the person's profile language in every region", async () => {
    const german = await publishes(
      contractWith((definition) => {
        leafOf(definition).output!.documents[0]!.rules = [
          { asset_key: 'contract', languages: ['de'], signers: [{ party: 'customer', action: 'sign' }] },
        ];
      }),
    );
    const { run, person } = await atLeaf('us', german);

    await expect(generates(serviceSide(shop), run.id, { values: VALUES })).rejects.toEqual(refused('flows.generation_failed', 400));
    expect(await shop.flows.reads(run)).toMatchObject({ status: 'generating' });
    await person.asks(account.changeProfile, { body: { display_name: 'Ada', language: 'de' } });

    expect(await generates(serviceSide(shop), run.id, { values: VALUES })).toMatchObject({ status: 'awaiting_signature' });
  });

  it('are not generated before the leaf, for strangers, or from values that do not decrypt', async () => {
    const { connection, person } = await connected();
    const run = await starts(connection);
    await expect(generates(serviceSide(shop), run.id, { values: VALUES })).rejects.toEqual(refused('flows.not_generatable', 409));
    const { run: ready } = await atLeaf();
    await expect(generates(serviceSide(world.boltShop), ready.id, { values: VALUES })).rejects.toEqual(refused('flows.run_not_found', 404));
    await expect(generates(customerSide(person, connection), ready.id, { values: VALUES })).rejects.toEqual(
      refused('flows.run_not_found', 404),
    );
    const params = { runId: ready.id };
    const values = await sealBox(createOneTimeKey(), Buffer.from(JSON.stringify(VALUES)));
    const generate = (body: object) => shop.asks(runs.generateDocuments, { params, body: body as never });
    await expect(generate({ otk: createOneTimeKey(), values })).rejects.toEqual(refused('request.invalid', 400));
    for (const text of ['[1]', '"a"', '{"quantity":3}', '{', 'null']) {
      const otk = createOneTimeKey();
      await expect(generate({ otk, values: await sealBox(otk, Buffer.from(text)) })).rejects.toEqual(refused('request.invalid', 400));
    }
    await expect(shop.asks(runs.uploadGenerationInput, { params, body: { source_key: 'field:quantity', value: values } })).rejects.toEqual(
      refused('flows.generate_inputs_mismatch', 400),
    );
    await expect(shop.flows.fetchesOutput(ready, 'contract')).rejects.toEqual(refused('flows.no_document', 404));
  });

  it('show the company only its own copy, and a customer nothing of another customer', async () => {
    const [{ made, person }, { person: other, connection }] = [await generated(), await connected()];

    await expect(person.documents.reads(idOf(made, 'company'))).rejects.toEqual(refused('documents.not_found', 404));
    await expect(other.documents.reads(idOf(made, 'customer'))).rejects.toEqual(refused('documents.not_found', 404));
    await expect(other.documents.reads(idOf(made, 'company'))).rejects.toEqual(refused('documents.not_found', 404));
    expect((await other.documents.list()).map(({ id }) => id)).not.toContain(idOf(made, 'company').id);
    await expect(shop.asks(documents.readDocumentFile, { params: idOf(made, 'customer') })).rejects.toEqual(
      refused('documents.recipient_encrypted', 409),
    );
    expect(await other.asks(customerRuns.listCustomerRuns, { params: { connectionId: connection.id }, query: {} })).toMatchObject({
      items: [],
    });
  });

  it('can be generated by the automation of the company and then signed @spec D2-4.4', async () => {
    const { run, person } = await atLeaf();
    const side = ownerSide(world.acme, { id: shop.service_id!, flowId: flow });

    const made = await generates(side, run.id, { values: VALUES });
    const pdf = await openedPdf(person, await person.documents.fetches(idOf(made, 'customer')));
    await person.documents.signs(idOf(made, 'customer'), pdf);

    expect(await shop.flows.signsOutput(run, 'contract', pdf)).toMatchObject({ status: 'active' });
  });

  it('leave no plaintext and no key in the database', async () => {
    const { run } = await atLeaf();
    const secret = 'tell nobody 4711';
    const otk = createOneTimeKey();
    const values = await sealBox(otk, Buffer.from(JSON.stringify({ ...VALUES, order_number: secret })));
    await shop.asks(runs.generateDocuments, { params: { runId: run.id }, body: { otk, values } });

    const rows = await everyRow(world.databaseUrl('region_eu'));
    expect(rows).toContain(run.id);
    expect([rows.includes(secret), rows.includes(otk)]).toEqual([false, false]);
  });

  type Signing = Awaited<ReturnType<typeof generated>>;
  const envelopeText = (pdf: Buffer) =>
    JSON.stringify({
      file: `data:application/pdf;base64,${pdf.toString('base64')}`,
      original_name: 'lease.pdf',
      mime_type: 'application/pdf',
      size: pdf.length,
    });
});
