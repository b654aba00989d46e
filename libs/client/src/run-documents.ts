import { operation, Refusal, runs, type CompanyDocument, type ErrorKey, type Run } from '@codase/contracts';
import { createOneTimeKey, matchesSha256, sealBox } from '@codase/crypto';
import type { Bus } from '@codase/runtime/bus';
import { count, countFromZero, inSpan, SpanKind } from '@codase/runtime/telemetry';
import { askAgain } from './ask-again.ts';
import type { FileTransfer } from './file-transfer.ts';
import { REQUEST_TIMEOUT_MS, type TransferOptions } from './gateway-http.ts';
import { METRICS } from './metrics.ts';
import type { ServedFile } from './served-file.ts';

type Participant = Run['participants'][number];

/** One party's copy of a document that a run made, with its place in the signing line. */
export type RunDocument = Participant['documents'][number] &
  Pick<Participant, 'party_key' | 'person_user_id'> & {
    /** Whether this is the copy of the company. */
    own: boolean;
    /** Whether the line has come to this copy: its party signs or accepts it now. One copy of a run is open at most. */
    open: boolean;
  };

/** Who signs for the company, and how the company made sure of it. */
export interface Signer {
  method: 'custodian' | 'twofa' | 'email';
  first_name: string;
  last_name: string;
}

/** For whom the company acts. */
interface ActingParty {
  /** The party for which the company acts: needed where it plays several that sign or accept the document. */
  party_key?: string;
}

export interface ActOptions extends TransferOptions, ActingParty {
  /** The SHA-256 of the PDF that was read and agreed to. If the copy has another one, it is refused with `documents.file_invalid`. */
  plain_sha256?: string;
}

/** The company's copy after an act on it. */
export type ActedCopy = Pick<RunDocument, 'output_key' | 'document_id' | 'document_status'>;

/** Documents that runs made. flows has them generated; the company signs its copies when the line has come to them. @spec D2-8 */
export interface RunDocuments {
  /** Lists the copies of all parties in the order of the signing line, and last those of parties that neither sign nor accept. */
  documents(flow_run_id: string, options?: { timeoutMs?: number }): Promise<RunDocument[]>;
  /** Opens the company's copy of a document, sealed or not. `codase.documents.download` verifies the seal, once all have acted. */
  outputFile(flow_run_id: string, output_key: string, options?: TransferOptions): Promise<ServedFile>;
  /**
   * Signs the company's own copy when the line has come to it. The copy is opened in this process. A repeat after a lost answer succeeds;
   * before the line has come to the copy, the call is refused with `documents.transition_invalid`.
   */
  sign(flow_run_id: string, output_key: string, signer: Signer, options?: ActOptions): Promise<ActedCopy>;
  /** Accepts the company's own copy, where the document asks for that, in the same way. */
  accept(flow_run_id: string, output_key: string, options?: ActOptions): Promise<ActedCopy>;
  /** Turns the company's own copy down when the line has come to it. The whole run is cancelled. */
  decline(flow_run_id: string, output_key: string, options?: ActingParty & { timeoutMs?: number }): Promise<ActedCopy>;
}

interface Parts {
  bus: Bus;
  service: string;
  files: FileTransfer;
}
interface DocumentPosition {
  runId: string;
  outputKey: string;
  party: ActingParty;
}
/** The copies that their party signs or accepts now. */
const OPEN: readonly RunDocument['document_status'][] = ['ready_to_sign', 'offering'];
type Act = 'signed' | 'accepted' | 'declined';
type SealingAct = typeof runs.signOutput | typeof runs.acceptOutput;

/** Refusals of an act that was done before: the copy is in another state by then, and may have been replaced by the sealed one. */
const MAYBE_DONE: readonly ErrorKey[] = ['documents.transition_invalid', 'documents.file_invalid'];

export function runDocumentsOf(parts: Parts): RunDocuments {
  for (const outcome of ['signed', 'accepted', 'declined', 'refused', 'failed'])
    countFromZero(METRICS.runDocumentActs, { 'codase.service': parts.service, 'codase.outcome': outcome });
  return {
    documents: async (flow_run_id, { timeoutMs } = {}) => documentsIn(await readRun(parts, flow_run_id, timeoutMs)),
    outputFile: (runId, outputKey, options = {}) => parts.files.openServed(runs.readOutputFile, { params: { runId, outputKey } }, options),
    sign: (runId, outputKey, { method, first_name, last_name }, options = {}) => {
      const signer = { method, signer_first_name: first_name, signer_last_name: last_name };
      const position = { runId, outputKey, party: partyIn(options) };
      return acting(parts, position, 'signed', () => actWithFile(parts, runs.signOutput, position, signer, options));
    },
    accept: (runId, outputKey, options = {}) => {
      const position = { runId, outputKey, party: partyIn(options) };
      return acting(parts, position, 'accepted', () => actWithFile(parts, runs.acceptOutput, position, {}, options));
    },
    decline: (runId, outputKey, options = {}) => {
      const position = { runId, outputKey, party: partyIn(options) };
      return acting(parts, position, 'declined', () => declineOnce(parts, position, options.timeoutMs));
    },
  };
}

const partyIn = ({ party_key }: ActingParty): ActingParty => (party_key === undefined ? {} : { party_key });

/** Returns the copies of all parties in the order of the signing line. */
function documentsIn({ participants, company_user_id }: Run): RunDocument[] {
  const copies = participants.flatMap(({ party_key, person_user_id, documents }) =>
    documents.map((document) => ({
      ...document,
      party_key,
      person_user_id,
      own: person_user_id === company_user_id,
      open: OPEN.includes(document.document_status),
    })),
  );
  return copies.toSorted((one, other) => positionOf(one) - positionOf(other));
}

/** A copy whose party neither signs nor accepts comes behind the line. */
const positionOf = ({ position }: RunDocument): number => position ?? Number.MAX_SAFE_INTEGER;

/** Does an act and counts its outcome. An act that was done before, by a call whose answer was lost, succeeds too. */
async function acting(parts: Parts, position: DocumentPosition, act: Act, work: () => Promise<CompanyDocument>): Promise<ActedCopy> {
  const counts = (outcome: string) => count(METRICS.runDocumentActs, { 'codase.service': parts.service, 'codase.outcome': outcome });
  try {
    const acted = await inSpan('act on document of run', { kind: SpanKind.INTERNAL }, async () => {
      const { id, status } = await work();
      return { output_key: position.outputKey, document_id: id, document_status: status };
    }).catch((error: unknown) => actedBefore(parts, position, act, error));
    counts(act);
    return acted;
  } catch (error) {
    counts(error instanceof Refusal && error.status < 500 ? 'refused' : 'failed');
    throw error;
  }
}

/** Returns the company's copy if it shows that this act was done before. Otherwise throws the error of the act. */
async function actedBefore(parts: Parts, { runId, outputKey, party }: DocumentPosition, act: Act, error: unknown): Promise<ActedCopy> {
  if (!(error instanceof Refusal && MAYBE_DONE.includes(error.key))) throw error;
  const run = await readRun(parts, runId);
  const copy = documentsIn(run).find(({ own, output_key, party_key, action, document_status }) => {
    const isDone = act === 'declined' ? run.status === 'cancelled' && document_status === 'ended' : action === act;
    return own && output_key === outputKey && party_key === (party.party_key ?? party_key) && isDone;
  });
  if (!copy) throw error;
  const { output_key, document_id, document_status } = copy;
  return { output_key, document_id, document_status };
}

/** Opens the company's copy and sends the act with its PDF, under a key that each attempt has for itself. @spec D2-8 */
async function actWithFile(
  { files }: Parts,
  contract: SealingAct,
  { runId, outputKey, party }: DocumentPosition,
  signer: object,
  { plain_sha256, ...options }: ActOptions,
): Promise<CompanyDocument> {
  const params = { runId, outputKey };
  const { bytes } = await files.open(runs.readOutputFile, { params }, options);
  try {
    if (plain_sha256 !== undefined && !(await matchesSha256(bytes, plain_sha256))) throw new Refusal('documents.file_invalid');
    const body = () => actBody({ ...signer, ...party }, bytes);
    return await files.send({ contract, params }, body, bytes.length, { ...options, metric: METRICS.flowsRetried });
  } finally {
    bytes.fill(0);
  }
}

async function* actBody(act: object, pdf: Uint8Array): AsyncGenerator<string> {
  const otk = createOneTimeKey();
  yield `${JSON.stringify({ ...act, otk }).slice(0, -1)},"file":"`;
  yield await sealBox(otk, pdf);
  yield '"}';
}

const declineOnce = (
  { bus, service }: Parts,
  { party, ...params }: DocumentPosition,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<CompanyDocument> =>
  askAgain(() => bus.request(operation(runs.declineOutput), { service }, { params, body: party }, { timeout: timeoutMs }), timeoutMs);

const readRun = ({ bus, service }: Parts, runId: string, timeoutMs = REQUEST_TIMEOUT_MS): Promise<Run> =>
  bus.request(operation(runs.readRun), { service }, { params: { runId } }, { timeout: timeoutMs });
