import { connections, documents, OPERATOR, services, type Level } from '@codase/contracts';
import { createOneTimeKey, sealBox } from '@codase/crypto';
import { envelopeOf } from '@codase/actors';
import { many, sql } from '@codase/runtime/db';
import { comesTrue, generates, ownerSide, pdfThatShows, serviceSide } from '@codase/testing';
import { refused } from '../../sharing/connections/connections-world.ts';
import { contractSignedBy, idOf, leaseFilledBy, lineOf, openedPdf, RunDocumentsWorld, VALUES } from './run-documents-world.ts';

const LEASE = pdfThatShows('A lease for {{order_number}}.');
const activeContract = refused('company_connections.active_contract', 409);

describe('documents at the end of a run @spec D2-3 @spec D2-8', () => {
  const at = new RunDocumentsWorld();
  let ofCompany: string;
  let ofBoth: string;
  beforeAll(async () => {
    await at.open();
    ofCompany = await at.publishes(contractSignedBy([{ party: 'company', action: 'sign' }]));
    ofBoth = await at.publishes(
      contractSignedBy([
        { party: 'customer', action: 'sign' },
        { party: 'company', action: 'sign' },
      ]),
    );
  });
  afterAll(() => at.close());

  const setsLevel = async (level: Level) =>
    (await at.world.operator('platform')).request(OPERATOR.setLevel, {}, { user_id: at.shop.company_user_id, level });
  const completed = async () => {
    const played = await at.signing(ofCompany);
    await at.shop.flows.signsOutput(played.run, 'contract', played.pdf);
    return played;
  };
  /** Plays a run until the person has signed, and the company has not. */
  const halfSigned = async () => {
    const played = await at.signing(ofBoth);
    await played.person.documents.signs(idOf(played.made, 'customer'), played.pdf);
    return played;
  };
  const sealedFor = async ({ person, made, pdf }: Awaited<ReturnType<typeof completed>>) => {
    const read = await openedPdf(person, await person.documents.fetches(idOf(made, 'customer')));
    return read.length > pdf.length && read.subarray(0, pdf.length).equals(pdf);
  };

  it('end with the run when a person who has signed cancels, if the service allows it', async () => {
    const { run, person, made } = await halfSigned();
    const copy = idOf(made, 'customer');
    await expect(person.documents.cancels(copy)).rejects.toEqual(refused('documents.transition_invalid', 409));
    await at.shop.documents.changes(copy, { metadata: { can_be_cancelled_in_app: true } });

    const cancelled = await person.documents.cancels(copy, '2999-01-01');

    const today = at.world.now.toISOString().slice(0, 10);
    expect(cancelled).toMatchObject({ status: 'ended', cancel_effective_date: today, signatures: [{ action: 'signed' }] });
    const over = await at.shop.flows.reads(run);
    expect([over.status, ...lineOf(over)]).toEqual(['cancelled', 'contract customer 1 ended signed', 'contract company 2 ended -']);
  });

  it('do not keep the connection open when only some parties have signed and the run is cancelled', async () => {
    const { run, connection, person, made } = await halfSigned();

    await at.shop.flows.cancels(run);

    const over = await at.shop.flows.reads(run);
    expect([over.status, ...lineOf(over)]).toEqual(['cancelled', 'contract customer 1 active signed', 'contract company 2 ended -']);
    await at.shop.asks(connections.endConnection, { params: { connectionId: connection.id } });
    expect(await person.documents.reads(idOf(made, 'customer'))).toMatchObject({ status: 'ended', sealed_at: null });
  });

  it('can be neither deleted nor replaced by the company, even after they have ended', async () => {
    const { run, made } = await completed();
    const managed = refused('documents.run_managed', 409);

    for (const party of ['customer', 'company']) {
      const copy = idOf(made, party);
      expect(await at.shop.documents.changes(copy, { status: 'ended' })).toMatchObject({ status: 'ended' });
      await expect(at.shop.documents.deletes(copy)).rejects.toEqual(managed);
      const file = (await at.shop.flows.fetchesOutput(run, 'contract')).value as never;
      await expect(at.shop.asks(documents.replaceDocumentFile, { params: copy, body: { file } })).rejects.toEqual(managed);
    }
  });

  it('have their waiting inputs deleted when the run is cancelled', async () => {
    const { run } = await at.atLeaf(await at.publishes(leaseFilledBy('company')), { lease: LEASE });
    const value = await sealBox(createOneTimeKey(), envelopeOf(LEASE));
    await serviceSide(at.shop).uploadInput(run.id, { source_key: 'field:lease', value });
    expect(await at.waiting(run)).toMatchObject({ inputs: 1 });

    await at.shop.flows.cancels(run);

    expect(await at.waiting(run)).toMatchObject({ inputs: 0 });
  });

  it('have their waiting inputs deleted after an hour without use', async () => {
    const { run } = await at.atLeaf(await at.publishes(leaseFilledBy('company')), { lease: LEASE });
    const [side, otk] = [serviceSide(at.shop), createOneTimeKey()];
    const { input } = await side.uploadInput(run.id, { source_key: 'field:lease', value: await sealBox(otk, envelopeOf(LEASE)) });
    const values = await sealBox(otk, Buffer.from(JSON.stringify(VALUES)));

    await at.world.passes({ hours: 2 });

    await comesTrue(async () => expect(await at.waiting(run)).toEqual({ uploads: 0, inputs: 0 }));
    expect(await many(at.db, sql`select from flow_run_content where file_id = ${input}`)).toEqual([]);
    await at.shop.getsToken();
    const late = side.generate(run.id, { otk, values, inputs: [{ source_key: 'field:lease', input }] });
    await expect(late).rejects.toEqual(refused('flows.generate_inputs_mismatch', 400));
    const again = generates(side, run.id, { values: VALUES, pdfs: { 'field:lease': LEASE } });
    expect(await again).toMatchObject({ status: 'awaiting_signature' });
  });

  it("stay if sealed and end if open when the data of their company's runs is deleted", async () => {
    const [done, open] = [await completed(), await at.signing(ofBoth)];
    await setsLevel('basic');

    await at.world.passes({ hours: 31 * 24 });

    await comesTrue(async () => {
      await open.person.signsIn();
      expect(await open.person.documents.reads(idOf(open.made, 'customer'))).toMatchObject({ status: 'ended' });
    });
    await done.person.signsIn();
    expect(await done.person.documents.reads(idOf(done.made, 'customer'))).toMatchObject({ status: 'active' });
    expect(await sealedFor(done)).toBe(true);
    await setsLevel('business');
    await at.shop.getsToken();
    const removed = await at.shop.flows.reads(done.run);
    expect([removed.status, removed.answers, ...lineOf(removed)]).toEqual([
      'completed',
      [],
      'contract company 1 active signed',
      'contract customer - active -',
    ]);
    expect(await at.shop.flows.fetchesOutput(done.run, 'contract')).toMatchObject({ value: expect.any(String) });
  });

  it('keep their service from being deleted while one is in force, and stay readable afterwards', async () => {
    const done = await completed();
    const open = await halfSigned();
    const removes = async () => {
      await at.world.acme.signsIn();
      return at.world.acme.asks(services.deleteService, { params: { id: at.shop.service_id! } });
    };
    await expect(removes()).rejects.toEqual(activeContract);
    const inForce = await many<{ document_id: string }>(
      at.db,
      sql`select document_id from document where sealed_at is not null and status = 'active' and connection_id is not null`,
    );
    for (const { document_id: id } of inForce) await at.shop.documents.changes({ id }, { status: 'ended' });

    await removes();

    expect(await sealedFor(done)).toBe(true);
    const owner = ownerSide(at.world.automation, { id: at.shop.service_id!, flowId: ofCompany });
    expect(await owner.read(done.run.id)).toMatchObject({ status: 'completed', answers: [] });
    const own = await openedPdf(at.shop, await owner.outputs.read(done.run.id, 'contract'));
    expect(own.subarray(0, done.pdf.length).equals(done.pdf)).toBe(true);
    await expect(owner.read('run_nowhere')).rejects.toEqual(refused('services.not_found', 404));
    await expect(owner.outputs.decline(done.run.id, 'contract')).rejects.toEqual(refused('services.not_found', 404));
    const listed = await open.person.documents.list();
    expect(listed).toMatchObject([{ id: idOf(open.made, 'customer').id, status: 'ended', flow_run_id: open.run.id }]);
    expect(await many(at.db, sql`select from document where run_id = ${open.run.id} and status not in ('ended')`)).toEqual([]);
    await expect(open.person.documents.cancels(idOf(open.made, 'customer'))).rejects.toEqual(refused('documents.transition_invalid', 409));
    await expect(open.person.documents.signs(idOf(open.made, 'customer'), open.pdf)).rejects.toEqual(
      refused('documents.transition_invalid', 409),
    );
  });
});
