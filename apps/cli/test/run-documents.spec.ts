import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operation, Refusal, runs, UNWRAP_KEY, type Endpoint } from '@codase/contracts';
import { importValuePublicKey, openBox, sealValue } from '@codase/crypto';
import { importValuePrivateKey, readPrivateKeyPem, unwrapKey } from '@codase/crypto/open';
import { TestBus } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import type { Read } from '../src/command.ts';
import { acceptOutput, declineOutput, downloadOutput, listRunDocuments, signOutput } from '../src/run-documents.ts';
import type { Target } from '../src/target.ts';
import { run } from './run.ts';

const [SHOP] = SERVICE_KEYS;
const PDF = Buffer.from('%PDF-1.7 a lease that the run made');
const AT = '2026-03-02T10:00:00.000Z';
const copy = {
  output_key: 'lease',
  name: 'Lease',
  document_id: 'doc_1',
  document_status: 'ready_to_sign',
  requires_signature: true,
  requires_acceptance: false,
  position: 2,
  action: null,
  acted_at: null,
};
const RUN = {
  id: 'run_1',
  flow_id: 'flow_1',
  status: 'awaiting_signature',
  current_node: 'terms',
  flow_version: 1,
  service_id: 'ser_shop',
  connection_id: 'conn_ana',
  company_user_id: 'usr_acme',
  bindings: {},
  participants: [
    { party_key: 'company', person_user_id: 'usr_acme', connection_id: null, documents: [copy] },
    {
      party_key: 'customer',
      person_user_id: 'usr_ana',
      connection_id: 'conn_ana',
      documents: [{ ...copy, document_id: 'doc_2', document_status: 'active', position: 1, action: 'signed', acted_at: AT }],
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
};
const DOCUMENT = {
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
  plain_sha256: null,
  sealed_at: null,
  cancel_effective_date: null,
  connection_id: null,
  person_user_id: 'usr_acme',
  flow_run_id: 'run_1',
  created_at: AT,
};

/** Plays the gateway and the decryptor of a company. */
describe('npm run codase -- flows for the documents of a run @spec D2-8', () => {
  let nats: TestBus;
  let folder: string;
  let requests: { name: string; body: Record<string, string> }[] = [];
  const refused = new Set<string>();
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'codase-'));
    nats = await TestBus.open();
    const bus = await nats.connect();
    const key = await importValuePrivateKey(await readPrivateKeyPem(SHOP.pem, SHOP.passphrase));
    await bus.answer(UNWRAP_KEY, {}, async ({ wrapped_key }) => ({ value_key: await unwrapKey(key, wrapped_key) }));
    const file = `data:application/pdf;base64,${PDF.toString('base64')}`;
    const envelope = JSON.stringify({ file, original_name: 'Lease.pdf', mime_type: 'application/pdf', size: PDF.length });
    const value = await sealValue(await importValuePublicKey(SHOP.public_key), envelope);
    const answers: [Endpoint, unknown][] = [
      [runs.readRun, RUN],
      [runs.readOutputFile, { encrypted: true, value }],
      [runs.signOutput, DOCUMENT],
      [runs.acceptOutput, DOCUMENT],
      [runs.declineOutput, { ...DOCUMENT, status: 'ended' }],
    ];
    for (const [contract, answer] of answers)
      await bus.answer(operation(contract), {}, (({ body }: { body: Record<string, string> }) => {
        requests.push({ name: contract.name, body });
        if (refused.has(contract.name)) throw new Refusal('documents.transition_invalid');
        return answer;
      }) as never);
  });
  afterAll(async () => {
    await nats?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    requests = [];
    refused.clear();
  });

  const does = async (command: Read, ...words: string[]) => {
    const target = { consumer: () => nats.credentials, gateway: () => undefined } as unknown as Target;
    const { ended, said, results } = run(command, words, target);
    return { code: await ended, said: said.join('\n'), result: results[0]! };
  };

  it('lists the copies in the order of the signing line, and marks the next one', async () => {
    const { said, result } = await does(listRunDocuments, 'run_1');

    const lines = said.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(lines).toEqual([
      ['1', 'lease', 'customer', 'active', `signed ${AT}`, 'doc_2'],
      ['>', '2', 'lease', 'company (the company)', 'ready_to_sign', 'doc_1'],
    ]);
    expect(result).toMatchObject({ documents: [{ document_id: 'doc_2' }, { document_id: 'doc_1', own: true, open: true }] });
  });

  it("signs, accepts and declines the company's copy", async () => {
    expect(await does(signOutput, 'run_1', 'lease', '--first-name', 'Eva', '--last-name', 'Berg')).toMatchObject({
      code: 0,
      said: "lease is signed: the company's copy is active",
      result: { document_id: 'doc_1', document_status: 'active' },
    });
    const { body } = requests.find(({ name }) => name === 'sign_output')!;
    expect(body).toMatchObject({ method: 'custodian', signer_first_name: 'Eva', signer_last_name: 'Berg' });
    expect(Buffer.from(await openBox(body['otk']!, body['file']!))).toEqual(PDF);

    expect((await does(acceptOutput, 'run_1', 'lease')).said).toBe("lease is accepted: the company's copy is active");
    expect((await does(declineOutput, 'run_1', 'lease')).said).toBe(
      "lease is declined, and the run is cancelled: the company's copy is ended",
    );
  });

  it("says how to see whose turn it is when it is not the company's turn", async () => {
    refused.add('accept_output');

    await expect(does(acceptOutput, 'run_1', 'lease')).rejects.toThrow('flows documents RUN shows whose turn it is');
  });

  it('writes the decrypted copy to a new file, and refuses to overwrite one', async () => {
    const path = join(folder, 'lease.pdf');

    expect(await does(downloadOutput, 'run_1', 'lease', '--to', path)).toMatchObject({ result: { path, bytes: PDF.length } });

    expect(readFileSync(path)).toEqual(PDF);
    await expect(does(downloadOutput, 'run_1', 'lease', '--to', path)).rejects.toThrow('is there already');
  });
});
