import { createHash } from 'node:crypto';
import { operation, Refusal, runs, UNWRAP_KEY, type CompanyDocument, type Endpoint, type ErrorKey, type Run } from '@codase/contracts';
import { importValuePublicKey, openBox, sealValue } from '@codase/crypto';
import { importValuePrivateKey, readPrivateKeyPem, unwrapKey } from '@codase/crypto/open';
import { silentLog } from '@codase/runtime/telemetry';
import { TestBus } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { connect, type CodaseClient } from '../src/index.ts';

const [SHOP] = SERVICE_KEYS;
const PDF = Buffer.from('%PDF-1.7 a lease that the run made');
const sha256 = createHash('sha256').update(PDF).digest('hex');
const EVA = { method: 'custodian', first_name: 'Eva', last_name: 'Berg' } as const;

type Copy = Run['participants'][number]['documents'][number];
const copyOf = (party: string, change: Partial<Copy>): Copy => ({
  output_key: 'lease',
  name: 'Lease',
  document_id: `doc_${party}`,
  document_status: 'waiting',
  requires_signature: true,
  requires_acceptance: false,
  position: null,
  action: null,
  acted_at: null,
  ...change,
});
/** A run in which the customer has signed the lease, and the company is next. */
const runWith = (own: Partial<Copy> = {}, change: Partial<Run> = {}): Run => ({
  id: 'run_1',
  flow_id: 'flow_1',
  status: 'awaiting_signature',
  current_node: 'terms',
  flow_version: 1,
  service_id: 'ser_shop',
  connection_id: 'conn_ana',
  company_user_id: 'usr_acme',
  bindings: { customer: 'usr_ana', company: 'usr_acme', witness: 'usr_ben' },
  participants: [
    {
      party_key: 'witness',
      person_user_id: 'usr_ben',
      connection_id: 'conn_ben',
      documents: [copyOf('witness', { document_status: 'active' })],
    },
    {
      party_key: 'company',
      person_user_id: 'usr_acme',
      connection_id: null,
      documents: [copyOf('company', { document_status: 'ready_to_sign', position: 2, ...own })],
    },
    {
      party_key: 'customer',
      person_user_id: 'usr_ana',
      connection_id: 'conn_ana',
      documents: [copyOf('customer', { document_status: 'active', position: 1, action: 'signed', acted_at: '2026-03-02T10:00:00.000Z' })],
    },
  ],
  output_mode: 'document',
  parties: [],
  answers: [],
  definition: { entry: 'terms', output_mode: 'document', parties: [], nodes: [], edges: [], constants: [] },
  reference_date: '2026-03-02',
  private_slugs: [],
  owner_tag_values: null,
  tag_values: null,
  source_files: {},
  ...change,
});
const documentWith = (status: CompanyDocument['status']): CompanyDocument => ({
  id: 'doc_company',
  name: 'Lease',
  kind: 'agreement',
  payload_kind: 'file',
  requires_signature: true,
  requires_acceptance: false,
  is_private: false,
  status,
  metadata: { can_be_cancelled_in_app: false },
  signatures: [],
  plain_sha256: sha256,
  sealed_at: null,
  cancel_effective_date: null,
  connection_id: null,
  person_user_id: 'usr_acme',
  flow_run_id: 'run_1',
  created_at: '2026-03-02T10:00:00.000Z',
});

/** Plays the gateway and the decryptor. */
describe('documents of a run @spec D2-4.3 @spec D2-8', () => {
  let nats: TestBus;
  let codase: CodaseClient;
  let run: Run;
  let requests: { name: string; params: unknown; body: Record<string, string> }[];
  let answers: Record<string, () => unknown>;
  const acts = () => requests.filter(({ name }) => name.endsWith('_output'));

  beforeAll(async () => {
    nats = await TestBus.open();
    const bus = await nats.connect();
    const key = await importValuePrivateKey(await readPrivateKeyPem(SHOP.pem, SHOP.passphrase));
    await bus.answer(UNWRAP_KEY, {}, async ({ wrapped_key }) => ({ value_key: await unwrapKey(key, wrapped_key) }));
    const played: Endpoint[] = [runs.readRun, runs.readOutputFile, runs.signOutput, runs.acceptOutput, runs.declineOutput];
    for (const contract of played)
      await bus.answer(operation(contract), {}, (({ params, body }: { params: unknown; body: Record<string, string> }) => {
        requests.push({ name: contract.name, params, body });
        return answers[contract.name]!();
      }) as never);
    codase = await connect({ ...nats.credentials, service: 'shop', log: silentLog });
  });
  afterAll(async () => {
    await codase?.close();
    await nats?.close();
  });
  beforeEach(async () => {
    [run, requests] = [runWith(), []];
    const file = `data:application/pdf;base64,${PDF.toString('base64')}`;
    const envelope = JSON.stringify({ file, original_name: 'Lease.pdf', mime_type: 'application/pdf', size: PDF.length });
    const value = await sealValue(await importValuePublicKey(SHOP.public_key), envelope);
    answers = {
      read_run: () => run,
      read_output_file: () => ({ encrypted: true, value }),
      sign_output: () => documentWith('active'),
      accept_output: () => documentWith('active'),
      decline_output: () => documentWith('ended'),
    };
  });

  const refuses = (name: string, key: ErrorKey, then: () => void = () => undefined) => {
    answers[name] = () => {
      then();
      throw new Refusal(key as 'documents.transition_invalid');
    };
  };

  it("are listed in the order of the signing line, with the company's own copy and the open one marked", async () => {
    const listed = await codase.flows.documents('run_1');

    expect(listed.map(({ party_key, position, own, open }) => [party_key, position, own, open])).toEqual([
      ['customer', 1, false, false],
      ['company', 2, true, true],
      ['witness', null, false, false],
    ]);
    expect(listed[1]).toMatchObject({ output_key: 'lease', document_id: 'doc_company', person_user_id: 'usr_acme', action: null });
  });

  it("are read from the company's own copy and opened", async () => {
    const { bytes, ...file } = await codase.flows.outputFile('run_1', 'lease');

    expect([bytes?.toString(), file]).toEqual([PDF.toString(), { name: 'Lease.pdf', type: 'application/pdf' }]);
    expect(requests[0]!.params).toEqual({ runId: 'run_1', outputKey: 'lease' });

    refuses('read_output_file', 'flows.no_document');
    await expect(codase.flows.outputFile('run_1', 'rules')).rejects.toMatchObject({ key: 'flows.no_document' });
  });

  it('are signed with the bytes of the PDF, sealed under a new key for each call', async () => {
    expect(await codase.flows.sign('run_1', 'lease', EVA)).toEqual({
      output_key: 'lease',
      document_id: 'doc_company',
      document_status: 'active',
    });
    await codase.flows.sign('run_1', 'lease', EVA, { plain_sha256: sha256 });

    const [first, second] = acts();
    expect(first).toMatchObject({
      name: 'sign_output',
      params: { runId: 'run_1', outputKey: 'lease' },
      body: { method: 'custodian', signer_first_name: 'Eva', signer_last_name: 'Berg' },
    });
    for (const { body } of [first!, second!]) expect(Buffer.from(await openBox(body['otk']!, body['file']!))).toEqual(PDF);
    expect(second!.body['otk']).not.toBe(first!.body['otk']);
  });

  it('are accepted with the bytes of the PDF and without a signer', async () => {
    await codase.flows.accept('run_1', 'lease');

    const [{ name, body }] = acts() as [ReturnType<typeof acts>[0]];
    expect([name, Object.keys(body).toSorted()]).toEqual(['accept_output', ['file', 'otk']]);
    expect(Buffer.from(await openBox(body['otk']!, body['file']!))).toEqual(PDF);
  });

  it('are acted on for the named party when the company plays several', async () => {
    const as = { party_key: 'company' };
    await codase.flows.sign('run_1', 'lease', EVA, as);
    await codase.flows.accept('run_1', 'lease', as);
    await codase.flows.decline('run_1', 'lease', as);
    expect(acts().map(({ body }) => body['party_key'])).toEqual(['company', 'company', 'company']);

    run = runWith({ document_status: 'active', action: 'signed' });
    refuses('sign_output', 'documents.transition_invalid');
    expect(await codase.flows.sign('run_1', 'lease', EVA, as)).toMatchObject({ document_id: 'doc_company' });
    await expect(codase.flows.sign('run_1', 'lease', EVA, { party_key: 'witness' })).rejects.toMatchObject({
      key: 'documents.transition_invalid',
    });
  });

  it('are sent again while the gateway is unavailable, each time under a new key', async () => {
    let failures = 2;
    answers['sign_output'] = () => {
      if (failures-- > 0) throw new Refusal('service.unavailable');
      return documentWith('active');
    };

    expect(await codase.flows.sign('run_1', 'lease', EVA)).toMatchObject({ document_status: 'active' });

    expect(new Set(acts().map(({ body }) => body['otk'])).size).toBe(3);
  });

  it('are not signed when the PDF differs from the one that was read', async () => {
    await expect(codase.flows.sign('run_1', 'lease', EVA, { plain_sha256: 'ab'.repeat(32) })).rejects.toMatchObject({
      key: 'documents.file_invalid',
    });
    expect(acts()).toEqual([]);
  });

  it.each([
    ['signed', 'documents.transition_invalid', () => codase.flows.sign('run_1', 'lease', EVA)],
    ['signed', 'documents.file_invalid', () => codase.flows.sign('run_1', 'lease', EVA)],
    ['accepted', 'documents.transition_invalid', () => codase.flows.accept('run_1', 'lease')],
  ] as const)('count as %s when the answer to an earlier call was lost (%s)', async (action, key, act) => {
    run = runWith({ document_status: 'active', action }, { status: 'completed' });
    refuses(action === 'signed' ? 'sign_output' : 'accept_output', key);

    expect(await act()).toEqual({ output_key: 'lease', document_id: 'doc_company', document_status: 'active' });
  });

  it('are refused out of turn, and for an act of another kind', async () => {
    run = runWith({ document_status: 'waiting' });
    refuses('sign_output', 'documents.transition_invalid');
    await expect(codase.flows.sign('run_1', 'lease', EVA)).rejects.toMatchObject({ key: 'documents.transition_invalid' });

    run = runWith({ document_status: 'active', action: 'accepted' });
    await expect(codase.flows.sign('run_1', 'lease', EVA)).rejects.toMatchObject({ key: 'documents.transition_invalid' });
    await expect(codase.flows.sign('run_1', 'annex', EVA)).rejects.toMatchObject({ key: 'documents.transition_invalid' });
  });

  it('cancel the run once when the company declines', async () => {
    expect(await codase.flows.decline('run_1', 'lease')).toMatchObject({ document_status: 'ended' });
    expect(acts()).toMatchObject([{ name: 'decline_output', body: {} }]);

    refuses('decline_output', 'documents.transition_invalid');
    run = runWith({ document_status: 'ended' }, { status: 'cancelled' });
    expect(await codase.flows.decline('run_1', 'lease')).toMatchObject({ document_id: 'doc_company', document_status: 'ended' });

    run = runWith({ document_status: 'active', action: 'signed' });
    await expect(codase.flows.decline('run_1', 'lease')).rejects.toMatchObject({ key: 'documents.transition_invalid' });
  });
});
