import { randomUUID } from 'node:crypto';
import {
  DOCUMENT_MAX_MB,
  documents as contracts,
  operation,
  Refusal,
  type CompanyDocument,
  type Endpoint,
  type Output,
  type Request,
} from '@codase/contracts';
import { importValuePublicKey } from '@codase/crypto';
import type { Verification } from '@codase/pdf/verify';
import type { Bus } from '@codase/runtime/bus';
import { count, countFromZero, inSpan, SpanKind } from '@codase/runtime/telemetry';
import { documentBody, fileBody, type FileToSend, type NewDocument, type Payload } from './document-body.ts';
import type { Call, FileTransfer } from './file-transfer.ts';
import { REQUEST_TIMEOUT_MS, type TransferOptions } from './gateway-http.ts';
import { METRICS } from './metrics.ts';
import type { Reader, ReaderByCode, ReaderKeys } from './reader-keys.ts';
import { unlessAborted } from './unless-aborted.ts';
import { UnverifiedDocument, verifyCopy } from './verify-copy.ts';

/** A document to send, with its terms. It is a contract when its kind is not `document`, or when it has to be signed or accepted. */
export type DocumentToSend = Pick<NewDocument, 'name' | 'kind' | 'is_private' | 'requires_signature' | 'requires_acceptance' | 'metadata'> &
  Payload;

export interface SendDocumentOptions extends TransferOptions {
  /**
   * Your own key of the document, new for each document: for the same recipient the same key means the same document, whatever it holds. A
   * handler that is retried gives the same key, so that the person gets one document.
   */
  key?: string;
}

export interface DownloadDocumentOptions extends TransferOptions {
  /** The SHA-256 of the file that you sent, from your own records. When absent, the platform's record counts. */
  plain_sha256?: string;
}

/** The payload of a document that this company may read. */
export type DownloadedDocument = { document: CompanyDocument } & (
  | { file: { bytes: Uint8Array; name: string; type: string }; json?: undefined; verification: Verification | null }
  | { file?: undefined; json: unknown; verification: null }
);

/** A document whose file was replaced, and the SHA-256 of the new file when it has to be signed or accepted. */
export type ReplacedFile = Output<typeof contracts.replaceDocumentFile>;

type ListQuery = Request<typeof contracts.listDocuments>['query'];
type DocumentPage = Output<typeof contracts.listDocuments>;
type Waits = { timeoutMs?: number };

/** Documents and contracts of the service. A document for one person is sealed in this process: no bus carries it in the clear. */
export interface Documents {
  /** Sends a document to one person, sealed to their key. */
  send(to: Reader | ReaderByCode, document: DocumentToSend, options?: SendDocumentOptions): Promise<CompanyDocument>;
  /** Sends a document to all customers of the service, in the clear: everybody may read it, the platform too. It cannot be a contract. */
  broadcast(document: DocumentToSend, options?: SendDocumentOptions): Promise<CompanyDocument>;
  /** Reads the terms, the status and the signatures of a document. */
  read(id: string, options?: Waits): Promise<CompanyDocument>;
  /** Lists documents, the newest first, in pages: ask again with `next_cursor` as `cursor` until it is null. */
  list(query?: ListQuery, options?: Waits): Promise<DocumentPage>;
  /** Gives a document another name or other metadata. */
  change(
    id: string,
    change: Pick<Request<typeof contracts.changeDocument>['body'], 'name' | 'metadata'>,
    options?: Waits,
  ): Promise<CompanyDocument>;
  /**
   * Replaces the file of a document, sealed as the first one was, as long as nobody has signed or accepted it. A person who signs meanwhile
   * signs the file that they read, or is asked to read the new one. A repeat changes nothing.
   */
  replaceFile(id: string, file: FileToSend, options?: TransferOptions): Promise<ReplacedFile>;
  /** Ends a document: today, or on a later day (YYYY-MM-DD by UTC), until which it stays in force. A repeat changes nothing. */
  cancel(id: string, options?: Waits & { effective_date?: string }): Promise<CompanyDocument>;
  /** Deletes a document that binds nobody. */
  delete(id: string, options?: Waits): Promise<void>;
  /**
   * Downloads the payload of a broadcast as it is, or the company's own copy of a contract that all have signed, opened and verified.
   * Throws `UnverifiedDocument` when the copy does not verify. Before the platform has sealed a contract, only its recipient can read it:
   * the call is refused with `documents.recipient_encrypted`.
   */
  download(id: string, options?: DownloadDocumentOptions): Promise<DownloadedDocument>;
}

interface Parts {
  bus: Bus;
  service: string;
  files: FileTransfer;
  keys: ReaderKeys;
  /** The platform's certificates in PEM. When undefined, the client asks the platform for them. */
  sealCertificates: readonly string[] | undefined;
}

const MAX_BYTES = DOCUMENT_MAX_MB * 1024 * 1024;
export function documentsOf(parts: Parts): Documents {
  return new ServiceDocuments(parts);
}

class ServiceDocuments implements Documents {
  private readonly labels: { 'codase.service': string };
  private certificates: Promise<readonly string[]> | undefined;

  constructor(private readonly parts: Parts) {
    this.labels = { 'codase.service': parts.service };
    for (const outcome of ['sent', 'refused', 'failed'])
      countFromZero(METRICS.documentsSent, { ...this.labels, 'codase.outcome': outcome });
    for (const outcome of ['verified', 'in_clear', 'unverified', 'refused', 'failed'])
      countFromZero(METRICS.documentsDownloaded, { ...this.labels, 'codase.outcome': outcome });
  }

  send(to: Reader | ReaderByCode, document: DocumentToSend, options?: SendDocumentOptions): Promise<CompanyDocument> {
    const target = to.connection_id === undefined ? { share_code: to.share_code } : { connection_id: to.connection_id };
    return this.issue(document, { target, readKey: () => this.parts.keys.of(to) }, options);
  }

  broadcast(document: DocumentToSend, options?: SendDocumentOptions): Promise<CompanyDocument> {
    return this.issue(document, {}, options);
  }

  read(id: string, { timeoutMs }: Waits = {}): Promise<CompanyDocument> {
    return this.ask(contracts.readDocument, { params: { id } }, timeoutMs);
  }

  list(query: ListQuery = {}, { timeoutMs }: Waits = {}): Promise<DocumentPage> {
    return this.ask(contracts.listDocuments, { query }, timeoutMs);
  }

  change(id: string, { name, metadata }: Pick<NewDocument, 'metadata'> & { name?: string | undefined }, { timeoutMs }: Waits = {}) {
    return this.ask(contracts.changeDocument, { params: { id }, body: { name, metadata } }, timeoutMs);
  }

  replaceFile(id: string, file: FileToSend, options: TransferOptions = {}): Promise<ReplacedFile> {
    return this.counted(METRICS.documentsSent, 'replace file of document', options, async () => {
      const length = checkedLength({ file });
      const { connection_id, ...terms } = await this.read(id, options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs });
      const recipient = connection_id === null ? undefined : await importValuePublicKey(await this.parts.keys.of({ connection_id }));
      const body = () => fileBody(file, { recipient, isSigned: isSigned(terms) });
      const call = { contract: contracts.replaceDocumentFile, params: { id } };
      return [await this.sendBody(call, body, length, options), 'sent'];
    });
  }

  async cancel(id: string, { effective_date, timeoutMs }: Waits & { effective_date?: string } = {}): Promise<CompanyDocument> {
    const wanted =
      effective_date === undefined
        ? ({ status: 'ended' } as const)
        : ({ status: 'active_but_ending', cancel_effective_date: effective_date } as const);
    try {
      return await this.ask(contracts.changeDocument, { params: { id }, body: wanted }, timeoutMs);
    } catch (error) {
      if (!(error instanceof Refusal) || error.key !== 'documents.transition_invalid') throw error;
      const now = await this.read(id, timeoutMs === undefined ? {} : { timeoutMs });
      const isDone = now.status === wanted.status && (effective_date === undefined || now.cancel_effective_date === effective_date);
      if (!isDone) throw error;
      return now;
    }
  }

  async delete(id: string, { timeoutMs }: Waits = {}): Promise<void> {
    await this.ask(contracts.deleteDocument, { params: { id } }, timeoutMs);
  }

  download(id: string, options: DownloadDocumentOptions = {}): Promise<DownloadedDocument> {
    return this.counted(METRICS.documentsDownloaded, 'download document', options, async () => {
      const document = await this.read(id, options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs });
      // A caller that gives the digest of the file it sent means a contract, whatever the platform calls the document.
      const isForEverybody = document.connection_id === null && document.flow_run_id === null;
      const isContract = !isForEverybody || options.plain_sha256 !== undefined;
      const downloaded = await (isContract ? this.downloadCopy(document, options) : this.downloadClear(document, options));
      return [downloaded, downloaded.verification ? 'verified' : 'in_clear'];
    });
  }

  /** Sends a document, which is sealed in pieces while it leaves. The key makes every attempt mean the same document. */
  private issue(
    { json, file, ...terms }: DocumentToSend,
    { target, readKey }: { target?: NonNullable<NewDocument['target']>; readKey?: () => Promise<string> },
    { key = randomUUID(), ...options }: SendDocumentOptions = {},
  ): Promise<CompanyDocument> {
    return this.counted(METRICS.documentsSent, 'send document', options, async () => {
      const payload = file ? { file } : { json };
      const length = checkedLength(payload);
      const recipient = readKey && (await importValuePublicKey(await readKey()));
      const sealing = { recipient, isSigned: isSigned(terms) };
      const body = () => documentBody({ ...terms, ...(target && { target }), idempotency_key: key }, payload, sealing);
      return [await this.sendBody({ contract: contracts.createDocument }, body, length, options), 'sent'];
    });
  }

  private sendBody<E extends Endpoint>(call: Call<E>, body: () => AsyncIterable<string>, length: number, options: TransferOptions) {
    return this.parts.files.send(call, body, length, { ...options, metric: METRICS.documentsRetried });
  }

  private async downloadClear(document: CompanyDocument, options: TransferOptions): Promise<DownloadedDocument> {
    const { content_type, bytes } = await this.payload(document, options);
    if (document.payload_kind === 'file') return { document, file: { bytes, name: document.name, type: content_type }, verification: null };
    const { value } = JSON.parse(bytes.toString('utf8')) as { value: string };
    return { document, json: JSON.parse(value) as unknown, verification: null };
  }

  private async downloadCopy(
    document: CompanyDocument,
    { plain_sha256, ...options }: DownloadDocumentOptions,
  ): Promise<DownloadedDocument> {
    const file = await this.parts.files.open(contracts.readDocumentFile, { params: { id: document.id } }, options);
    const verification = await inSpan('verify document', { kind: SpanKind.INTERNAL }, () =>
      this.verified(document, file.bytes, plain_sha256),
    );
    return { document, file, verification };
  }

  /** Verifies with the certificates that are known. If none of them made the seal, reads the certificates again and verifies once more. */
  private async verified(document: CompanyDocument, pdf: Buffer, own: string | undefined): Promise<Verification> {
    const plain_sha256 = own ?? document.plain_sha256;
    const wereKnown = this.certificates !== undefined;
    try {
      return verifyCopy(document, pdf, { certificates: await this.knownCertificates(), plain_sha256 });
    } catch (error) {
      const isOutdated = wereKnown && error instanceof UnverifiedDocument && error.fault === 'signed_by_others';
      if (!isOutdated) throw error;
      this.certificates = undefined;
      return verifyCopy(document, pdf, { certificates: await this.knownCertificates(), plain_sha256 });
    }
  }

  /** Returns the certificates, which are read once. As long as the platform could not ask every region, they are read again each time. */
  private knownCertificates(): Promise<readonly string[]> {
    const { sealCertificates } = this.parts;
    if (sealCertificates) return Promise.resolve(sealCertificates);
    this.certificates ??= this.ask(contracts.listSealCertificates, {}).then(
      ({ certificates, complete }) => {
        if (!complete) this.certificates = undefined;
        return certificates.map(({ certificate_pem }) => certificate_pem);
      },
      (error: unknown) => {
        this.certificates = undefined;
        throw error;
      },
    );
    return this.certificates;
  }

  private async payload({ id }: CompanyDocument, options: TransferOptions): Promise<{ content_type: string; bytes: Buffer }> {
    const chunks: Uint8Array[] = [];
    const content_type = await this.parts.files.read(
      contracts.readDocumentFile,
      { params: { id } },
      options,
      (bytes) => void chunks.push(bytes),
    );
    return { content_type, bytes: Buffer.concat(chunks) };
  }

  private ask<E extends Endpoint>(contract: E, request: Request<E>, timeoutMs = REQUEST_TIMEOUT_MS): Promise<Output<E>> {
    const { bus, service } = this.parts;
    return bus.request(operation(contract), { service }, request as never, { timeout: timeoutMs }) as Promise<Output<E>>;
  }

  /** Does the work of a call, counts its outcome, and ends the call when its signal aborts. */
  private async counted<T>(
    metric: typeof METRICS.documentsSent | typeof METRICS.documentsDownloaded,
    span: string,
    { signal }: TransferOptions,
    work: () => Promise<[result: T, outcome: string]>,
  ): Promise<T> {
    const counts = (outcome: string) => count(metric, { ...this.labels, 'codase.outcome': outcome });
    try {
      const [result, outcome] = await inSpan(span, { kind: SpanKind.INTERNAL }, () => unlessAborted([signal], work));
      counts(outcome);
      return result;
    } catch (error) {
      counts(error instanceof UnverifiedDocument ? 'unverified' : isRefused(error) ? 'refused' : 'failed');
      throw error;
    }
  }
}

/** Whether the document has to be signed or accepted. Then its digest is sent too, and its seal is made for the bytes of that digest. */
const isSigned = ({ requires_signature, requires_acceptance }: Pick<NewDocument, 'requires_signature' | 'requires_acceptance'>): boolean =>
  requires_signature === true || requires_acceptance === true;

/** Whether the platform said no. A platform that could not be reached counts as a failure, not as a refusal. */
const isRefused = (error: unknown): boolean => error instanceof Refusal && error.status < 500;

/** Returns the length of the payload in bytes. Refuses a file that is too large. */
function checkedLength({ json, file }: { json?: unknown; file?: FileToSend | undefined }): number {
  if (!file) return Buffer.byteLength(JSON.stringify(json) ?? '');
  const length = file.bytes instanceof Uint8Array ? file.bytes.length : file.bytes.size;
  if (length > MAX_BYTES) throw new Refusal('documents.too_large');
  return length;
}
