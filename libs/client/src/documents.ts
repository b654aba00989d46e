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
} from '@cds/contracts';
import { importValuePublicKey } from '@cds/crypto';
import type { Verification } from '@cds/pdf/verify';
import type { Bus } from '@cds/runtime/bus';
import { count, countFromZero, inSpan, SpanKind } from '@cds/runtime/telemetry';
import { documentBody, fileBody, type FileToSend, type NewDocument, type Payload } from './document-body.ts';
import type { Call, FileTransfer } from './file-transfer.ts';
import { REQUEST_TIMEOUT_MS, type TransferOptions } from './gateway-http.ts';
import { METRICS } from './metrics.ts';
import type { Reader, ReaderByCode, ReaderKeys } from './reader-keys.ts';
import { UnverifiedDocument, verifyCopy } from './verify-copy.ts';

/** What is sent, and on which terms. A contract is what has another kind than `document`, or is to be signed or accepted. */
export type DocumentToSend = Pick<NewDocument, 'name' | 'kind' | 'is_private' | 'requires_signature' | 'requires_acceptance' | 'metadata'> &
  Payload;

export interface SendDocumentOptions extends TransferOptions {
  /**
   * What you know the document by, new for each: for the same recipient the same key is the same document, whatever it holds. A handler
   * that is tried again gives the same key, and the person gets one document.
   */
  key?: string;
}

export interface DownloadDocumentOptions extends TransferOptions {
  /** The SHA-256 of what you sent, from your own records; that of the platform's record unless given. */
  plain_sha256?: string;
}

/** The payload of a document that this company may read. */
export type DownloadedDocument = { document: CompanyDocument } & (
  | { file: { bytes: Uint8Array; name: string; type: string }; json?: undefined; verification: Verification | null }
  | { file?: undefined; json: unknown; verification: null }
);

/** A document whose file was replaced, and the SHA-256 of the new one where it is to be signed or accepted. */
export type ReplacedFile = Output<typeof contracts.replaceDocumentFile>;

type ListQuery = Request<typeof contracts.listDocuments>['query'];
type DocumentPage = Output<typeof contracts.listDocuments>;
type Waits = { timeoutMs?: number };

/** Documents and contracts of the service. What is for one person is sealed here: no bus carries it in the clear. */
export interface Documents {
  /** Sends a document to one person, sealed to their key. */
  send(to: Reader | ReaderByCode, document: DocumentToSend, options?: SendDocumentOptions): Promise<CompanyDocument>;
  /** Sends a document to all customers of the service, in the clear: everybody may read it, the platform too. No contract. */
  broadcast(document: DocumentToSend, options?: SendDocumentOptions): Promise<CompanyDocument>;
  /** The terms, the status and the signatures of a document. */
  read(id: string, options?: Waits): Promise<CompanyDocument>;
  /** The newest first, in pages: ask again with `next_cursor` as `cursor` until it is null. */
  list(query?: ListQuery, options?: Waits): Promise<DocumentPage>;
  /** Gives a document another name or other metadata. */
  change(
    id: string,
    change: Pick<Request<typeof contracts.changeDocument>['body'], 'name' | 'metadata'>,
    options?: Waits,
  ): Promise<CompanyDocument>;
  /**
   * Puts another file in the place of the one that was sent, sealed as that one was, as long as nobody has signed or accepted it. Whoever
   * signs meanwhile signs the one that they read, or is asked to read the new one. A repeat changes nothing.
   */
  replaceFile(id: string, file: FileToSend, options?: TransferOptions): Promise<ReplacedFile>;
  /** Ends a document: today, or on a later day (YYYY-MM-DD by UTC), until which it stays in force. A repeat changes nothing. */
  cancel(id: string, options?: Waits & { effective_date?: string }): Promise<CompanyDocument>;
  /** Deletes a document that binds nobody. */
  delete(id: string, options?: Waits): Promise<void>;
  /**
   * The payload of a broadcast as it is; of a contract that all have signed the company's own copy, opened and verified. A copy that does
   * not verify is an `UnverifiedDocument`. What is not sealed yet is its recipient's alone: `documents.recipient_encrypted`.
   */
  download(id: string, options?: DownloadDocumentOptions): Promise<DownloadedDocument>;
}

interface Parts {
  bus: Bus;
  service: string;
  files: FileTransfer;
  keys: ReaderKeys;
  /** PEM of the platform's certificates; those that the platform names where there are none. */
  sealCertificates: readonly string[] | undefined;
}

const MAX_BYTES = DOCUMENT_MAX_MB * 1024 * 1024;
export function documentsOf(parts: Parts): Documents {
  return new ServiceDocuments(parts);
}

class ServiceDocuments implements Documents {
  private readonly parts: Parts;
  private readonly labels: { 'cds.service': string };
  private certificates: Promise<readonly string[]> | undefined;

  constructor(parts: Parts) {
    this.parts = parts;
    this.labels = { 'cds.service': parts.service };
    for (const outcome of ['sent', 'refused', 'failed']) countFromZero(METRICS.documentsSent, { ...this.labels, 'cds.outcome': outcome });
    for (const outcome of ['verified', 'in_clear', 'unverified', 'refused', 'failed'])
      countFromZero(METRICS.documentsDownloaded, { ...this.labels, 'cds.outcome': outcome });
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
    return this.counted(METRICS.documentsSent, 'replace file of document', async () => {
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
    return this.counted(METRICS.documentsDownloaded, 'download document', async () => {
      const document = await this.read(id, options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs });
      // Whoever says what was sent means a contract, whatever the platform calls it.
      const isContract = document.connection_id !== null || options.plain_sha256 !== undefined;
      const downloaded = await (isContract ? this.downloadCopy(document, options) : this.downloadClear(document, options));
      return [downloaded, downloaded.verification ? 'verified' : 'in_clear'];
    });
  }

  /** Sealed in pieces while it leaves. The key of the call lets every attempt mean the same document. */
  private issue(
    { json, file, ...terms }: DocumentToSend,
    { target, readKey }: { target?: NonNullable<NewDocument['target']>; readKey?: () => Promise<string> },
    { key = randomUUID(), ...options }: SendDocumentOptions = {},
  ): Promise<CompanyDocument> {
    return this.counted(METRICS.documentsSent, 'send document', async () => {
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

  /** With the certificates that are known, and where that is not enough with those that there are by now. */
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

  /** Asked for once. While a region could not be asked, they are asked for again. */
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

  private async counted<T>(
    metric: typeof METRICS.documentsSent | typeof METRICS.documentsDownloaded,
    span: string,
    work: () => Promise<[result: T, outcome: string]>,
  ): Promise<T> {
    const counts = (outcome: string) => count(metric, { ...this.labels, 'cds.outcome': outcome });
    try {
      const [result, outcome] = await inSpan(span, { kind: SpanKind.INTERNAL }, work);
      counts(outcome);
      return result;
    } catch (error) {
      counts(error instanceof UnverifiedDocument ? 'unverified' : isRefused(error) ? 'refused' : 'failed');
      throw error;
    }
  }
}

/** What is signed or accepted is sealed for the bytes of its digest. */
const isSigned = ({ requires_signature, requires_acceptance }: Pick<NewDocument, 'requires_signature' | 'requires_acceptance'>): boolean =>
  requires_signature === true || requires_acceptance === true;

/** The platform said no; what could not be reached has failed. */
const isRefused = (error: unknown): boolean => error instanceof Refusal && error.status < 500;

/** Bytes of the payload. */
function checkedLength({ json, file }: { json?: unknown; file?: FileToSend | undefined }): number {
  if (!file) return Buffer.byteLength(JSON.stringify(json) ?? '');
  const length = file.bytes instanceof Uint8Array ? file.bytes.length : file.bytes.size;
  if (length > MAX_BYTES) throw new Refusal('documents.too_large');
  return length;
}
