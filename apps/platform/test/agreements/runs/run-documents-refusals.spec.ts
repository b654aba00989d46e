import { DOCUMENT_MAX_MB, GENERATION_BODY_BYTES, UPLOAD_CHARS } from '@codase/contracts';
import { envelopeOf, opened } from '@codase/actors';
import { createOneTimeKey, sealBox } from '@codase/crypto';
import { execute, sql } from '@codase/runtime/db';
import { customerSide, generates, ownerSide, pdfThatShows, serviceSide, type OwnerSide, type RunSide } from '@codase/testing';
import { refused } from '../../sharing/connections/connections-world.ts';
import {
  contractSignedBy,
  idOf,
  leaseFilledBy,
  RunDocumentsWorld,
  signatureOf,
  VALUES,
  type PlayedContract,
} from './run-documents-world.ts';
import { takesMemory } from '../../support/served-files.ts';

const LEASE = pdfThatShows('A lease for {{order_number}}.');
const KEY = 'field:lease';

describe('refusals for documents of a run @spec D2-4.3 @spec D2-7', () => {
  const at = new RunDocumentsWorld();
  const flows: Record<'company' | 'customer', string> = {} as never;
  beforeAll(async () => {
    await at.open();
    for (const party of ['company', 'customer'] as const) flows[party] = await at.publishes(leaseFilledBy(party));
  });
  afterAll(() => at.close());

  type Of<Side> = (played: Pick<PlayedContract, 'person' | 'connection' | 'flow'>) => Side;
  const service: Of<OwnerSide> = () => serviceSide(at.shop);
  const automation: Of<OwnerSide> = ({ flow: flowId }) => ownerSide(at.world.automation, { id: at.shop.service_id!, flowId });
  const customer: Of<RunSide> = ({ person, connection }) => customerSide(person, connection);
  const SIDES: ['company' | 'customer', string, 'eu' | 'us', Of<RunSide>, Of<RunSide>[]][] = [
    ['company', 'the service', 'eu', service, [customer]],
    ['company', 'the automation', 'eu', automation, [customer]],
    ['customer', 'a person of eu', 'eu', customer, [service, automation]],
    ['customer', 'a person of us', 'us', customer, [service]],
  ];
  const box = async (text: string, otk = createOneTimeKey()) => ({ otk, values: await sealBox(otk, Buffer.from(text)) });
  const inputOf = async (pdf: Uint8Array, otk = createOneTimeKey()) => ({ source_key: KEY, value: await sealBox(otk, envelopeOf(pdf)) });
  const mismatch = refused('flows.generate_inputs_mismatch', 400);
  const invalid = refused('request.invalid', 400);
  const notOpen = refused('documents.transition_invalid', 409);
  const tooLarge = refused('documents.too_large', 400);

  const OWNERS: [string, Of<OwnerSide>][] = [
    ['the service', service],
    ['the automation', automation],
  ];
  type Acted = 'sign' | 'accept';
  const bodyOf = (action: Acted, pdf: Uint8Array) => (action === 'sign' ? signatureOf(pdf) : opened(pdf));
  /** Acts on the company's own copy of an output. */
  const acts = ({ outputs }: OwnerSide, action: Acted, body: object, id: string, key = 'contract') =>
    outputs[action](id, key, body as never);
  const signedBy = (...signers: Parameters<typeof contractSignedBy>[0]) => at.publishes(contractSignedBy(signers));

  it("the company's signature is refused and stores nothing while sealing fails", async () => {
    await execute(
      at.db,
      sql`
      insert into seal_certificate (certificate_id, certificate_pem, chain_pem, sealed_key, created_at)
      values ('broken', '', '[]', 'nobodys:key', ${at.world.now})`,
    );

    for (const action of ['sign', 'accept'] as const) {
      const played = await at.signing(await signedBy({ party: 'company', action }));
      for (const [, sideOf] of OWNERS)
        await expect(acts(sideOf(played), action, await bodyOf(action, played.pdf), played.run.id)).rejects.toEqual(
          refused('documents.seal_failed', 503),
        );
      expect(await at.shop.flows.reads(played.run)).toMatchObject({ status: 'awaiting_signature' });
      expect(await at.waiting(played.run)).toEqual({ uploads: 0, inputs: 0 });
    }
    await execute(at.db, sql`delete from seal_certificate where certificate_id = 'broken'`);
  });

  it('a generation is refused before its PDF is read while there is no memory for it', async () => {
    const { run } = await at.atLeaf(flows.company, { lease: LEASE });
    const [side, otk] = [serviceSide(at.shop), createOneTimeKey()];
    const { input } = await side.uploadInput(run.id, await inputOf(Buffer.alloc(100_000)));
    const generate = async () =>
      side.generate(run.id, { ...(await box(JSON.stringify(VALUES), otk)), inputs: [{ source_key: KEY, input }] });
    const leavesMemory = takesMemory();

    await expect(generate().finally(leavesMemory)).rejects.toEqual(refused('service.overloaded', 503));

    await expect(generate()).rejects.toEqual(mismatch); // the PDF was read, and does not open
    const generating = generates(side, run.id, { values: VALUES, pdfs: { [KEY]: LEASE } });
    expect(await generating).toMatchObject({ status: 'awaiting_signature' });
  });

  it("a generation is refused when a participant's PDF is larger than a document may be", async () => {
    const { run } = await at.atLeaf(flows.company, { lease: LEASE });
    const large = Buffer.alloc(DOCUMENT_MAX_MB * 1024 * 1024 + 1);

    const generating = generates(serviceSide(at.shop), run.id, { values: VALUES, pdfs: { [KEY]: large } });

    await expect(generating).rejects.toEqual(refused('flows.source_pdf_invalid', 400));
  });

  describe.each(SIDES)('generation by the %s (%s)', (party, _, region, sideOf, othersOf) => {
    it('is refused unless it comes with exactly the PDFs that the run waits for', async () => {
      const [played, other] = [
        await at.atLeaf(flows[party], { region, lease: LEASE }),
        await at.atLeaf(flows[party], { region, lease: LEASE }),
      ];
      const [side, { id }] = [sideOf(played), played.run];
      const { otk, values } = await box(JSON.stringify(VALUES));
      const { input } = await side.uploadInput(id, await inputOf(LEASE, otk));
      const { input: others } = await sideOf(other).uploadInput(other.run.id, await inputOf(LEASE, otk));
      const one = { source_key: KEY, input };

      await expect(side.uploadInput(id, { ...(await inputOf(LEASE)), source_key: 'field:quantity' })).rejects.toEqual(mismatch);
      await expect(side.uploadInput(id, { ...(await inputOf(LEASE)), source_key: 'conn:customer:lease' })).rejects.toEqual(mismatch);
      const wrong = [
        [],
        [one, one],
        [one, { ...one, source_key: 'field:more' }],
        [{ ...one, input: others }],
        [{ ...one, input: 'file_1' }],
      ];
      for (const inputs of wrong) await expect(side.generate(id, { otk, values, inputs })).rejects.toEqual(mismatch);
      await expect(side.generate(id, { ...(await box(JSON.stringify(VALUES))), inputs: [one] })).rejects.toEqual(mismatch);

      expect(await side.read(id)).toMatchObject({ status: 'generating' });
      expect(await side.generate(id, { otk, values, inputs: [one] })).toMatchObject({ status: 'awaiting_signature' });
      expect(await at.waiting(played.run)).toEqual({ uploads: 0, inputs: 0 });
    });

    it('is refused with malformed, oversized or unusable content', async () => {
      const played = await at.atLeaf(flows[party], { region, lease: LEASE });
      const [side, { id }] = [sideOf(played), played.run];
      const otk = createOneTimeKey();
      const value = await sealBox(otk, Buffer.from('{"file":"data:text/plain;base64,aGk="}'));
      const unusable = refused('flows.source_pdf_invalid', 400);

      await expect(side.uploadInput(id, { source_key: KEY, value: 'in the clear' })).rejects.toEqual(invalid);
      await expect(side.uploadInput(id, { source_key: 'lease', value })).rejects.toEqual(invalid);
      await expect(side.uploadInput(id, { source_key: KEY, value: 'A'.repeat(UPLOAD_CHARS + 4) })).rejects.toEqual(tooLarge);
      await expect(side.generate(id, { otk, values: 'in the clear', inputs: [] })).rejects.toEqual(invalid);
      await expect(side.generate(id, { otk: 'short', values: value, inputs: [] })).rejects.toEqual(invalid);
      await expect(side.generate(id, { otk, values: 'A'.repeat(GENERATION_BODY_BYTES), inputs: [] })).rejects.toEqual(tooLarge);
      const { input } = await side.uploadInput(id, { source_key: KEY, value });
      const given = { ...(await box(JSON.stringify(VALUES), otk)), inputs: [{ source_key: KEY, input }] };
      await expect(side.generate(id, given)).rejects.toEqual(unusable);
      for (const pdf of [Buffer.from('no PDF'), LEASE.subarray(0, 300)])
        await expect(generates(side, id, { values: VALUES, pdfs: { [KEY]: pdf } })).rejects.toEqual(unusable);

      expect(await side.read(id)).toMatchObject({ status: 'generating' });
      expect(await at.waiting(played.run)).toEqual({ uploads: 0, inputs: 1 });
    });

    it('is refused without a matching rule, to the other party, before the leaf, and after the run has ended', async () => {
      const [played, early] = [await at.atLeaf(flows[party], { region }), await at.begins(flows[party], { region })];
      const [side, { id }] = [sideOf(played), played.run];
      const makes = (of: RunSide, run = id) => of.generate(run, { ...given, inputs: [] });
      const [given, input] = [await box(JSON.stringify(VALUES)), await inputOf(LEASE)];

      await expect(makes(side)).rejects.toEqual(refused('flows.generation_failed', 400));
      for (const other of othersOf.map((of) => of(played))) {
        await expect(makes(other)).rejects.toEqual(refused('flows.not_your_turn', 403));
        await expect(other.uploadInput(id, input)).rejects.toEqual(refused('flows.not_your_turn', 403));
      }
      await expect(makes(side, 'run_nowhere')).rejects.toEqual(refused('flows.run_not_found', 404));
      await expect(side.uploadInput('run_nowhere', input)).rejects.toEqual(refused('flows.run_not_found', 404));
      await at.shop.flows.cancels(played.run);
      for (const { run, ...with_ } of [played, early]) {
        await expect(makes(sideOf(with_), run.id)).rejects.toEqual(refused('flows.not_generatable', 409));
        await expect(sideOf(with_).uploadInput(run.id, input)).rejects.toEqual(refused('flows.not_generatable', 409));
      }
    });
  });

  describe.each(OWNERS)("acts of %s on the company's own copy", (_, sideOf) => {
    it.each(['sign', 'accept'] as const)('are refused when they %s it with a wrong, oversized or missing file', async (action) => {
      const played = await at.signing(await signedBy({ party: 'company', action }));
      const [side, { run, pdf }, other] = [sideOf(played), played, action === 'sign' ? 'accept' : 'sign'] as const;
      const [whole, fileInvalid] = [await bodyOf(action, pdf), refused('documents.file_invalid', 400)];
      const tries = (body: object) => acts(side, action, body, run.id);

      await expect(tries({ ...whole, more: 1 })).rejects.toEqual(invalid);
      await expect(tries({ ...whole, otk: undefined, file: undefined })).rejects.toEqual(invalid);
      await expect(tries(await bodyOf(action, LEASE))).rejects.toEqual(fileInvalid);
      await expect(tries({ ...whole, otk: createOneTimeKey() })).rejects.toEqual(fileInvalid);
      await expect(tries({ ...whole, file: 'A'.repeat(UPLOAD_CHARS + 4) })).rejects.toEqual(tooLarge);
      await expect(acts(side, other, await bodyOf(other, pdf), run.id)).rejects.toEqual(notOpen);
      await expect(acts(side, action, whole, run.id, 'terms')).rejects.toEqual(refused('flows.no_document', 404));
      await expect(acts(side, action, whole, 'run_nowhere')).rejects.toEqual(refused('flows.run_not_found', 404));

      expect(await at.waiting(run)).toEqual({ uploads: 0, inputs: 0 });
      expect(await tries(whole)).toMatchObject({ status: 'active', sealed_at: at.world.now.toISOString() });
      await expect(tries(whole)).rejects.toEqual(notOpen);
    });

    it("are refused before the company's position in the signing line, and on documents that do not exist", async () => {
      const played = await at.signing(await signedBy({ party: 'customer', action: 'sign' }, { party: 'company', action: 'sign' }));
      const { outputs } = sideOf(played);
      const { run, pdf, person, made } = played;

      await expect(outputs.sign(run.id, 'contract', await signatureOf(pdf))).rejects.toEqual(notOpen);
      await expect(outputs.accept(run.id, 'contract', await opened(pdf))).rejects.toEqual(notOpen);
      await expect(outputs.decline(run.id, 'contract')).rejects.toEqual(notOpen);
      await person.documents.signs(idOf(made, 'customer'), pdf);
      await expect(outputs.decline(run.id, 'contract', { why: 'not now' } as never)).rejects.toEqual(invalid);
      await expect(outputs.decline(run.id, 'terms')).rejects.toEqual(refused('flows.no_document', 404));
      await expect(outputs.read(run.id, 'terms')).rejects.toEqual(refused('flows.no_document', 404));
      for (const asks of [outputs.read, outputs.decline])
        await expect(asks('run_nowhere', 'contract')).rejects.toEqual(refused('flows.run_not_found', 404));

      expect(await outputs.read(run.id, 'contract')).toMatchObject({ value: expect.any(String) });
      expect(await outputs.decline(run.id, 'contract')).toMatchObject({ status: 'ended', flow_run_id: run.id });
      expect(await at.shop.flows.reads(run)).toMatchObject({ status: 'cancelled' });
      await expect(outputs.decline(run.id, 'contract')).rejects.toEqual(notOpen);
    });
  });

  it('uploads, generations and acts are refused on the run of another service, flow, connection or customer', async () => {
    const played = await at.signing(await signedBy({ party: 'company', action: 'sign' }));
    const [{ run, pdf, flow: flowId }, neighbour] = [played, await at.connected()];
    const { id } = run;
    const strangers: [RunSide & Partial<OwnerSide>, ReturnType<typeof refused>][] = [
      [serviceSide(at.world.boltShop), refused('flows.run_not_found', 404)],
      [ownerSide(at.world.automation, { id: at.world.boltShop.service_id!, flowId }), refused('services.not_found', 404)],
      [ownerSide(at.world.boltAutomation, { id: at.shop.service_id!, flowId }), refused('services.not_found', 404)],
      [ownerSide(at.world.automation, { id: at.shop.service_id!, flowId: 'flow_nowhere' }), refused('flows.not_found', 404)],
      [ownerSide(at.world.automation, { id: at.shop.service_id!, flowId: flows.company }), refused('flows.run_not_found', 404)],
      [customerSide(played.person, neighbour.connection), refused('company_data.connection_not_found', 404)],
      [customerSide(neighbour.person, played.connection), refused('company_data.connection_not_found', 404)],
      [customerSide(neighbour.person, neighbour.connection), refused('flows.run_not_found', 404)],
    ];

    for (const [side, refusal] of strangers) {
      await expect(side.uploadInput(id, await inputOf(LEASE))).rejects.toEqual(refusal);
      await expect(generates(side, id, { values: VALUES })).rejects.toEqual(refusal);
      if (!side.outputs) continue;
      await expect(side.outputs.read(id, 'contract')).rejects.toEqual(refusal);
      await expect(side.outputs.sign(id, 'contract', await signatureOf(pdf))).rejects.toEqual(refusal);
      await expect(side.outputs.accept(id, 'contract', await opened(pdf))).rejects.toEqual(refusal);
      await expect(side.outputs.decline(id, 'contract')).rejects.toEqual(refusal);
    }

    expect(await at.shop.flows.reads(run)).toMatchObject({ status: 'awaiting_signature' });
  });
});
