import { Inject, Injectable } from '@nestjs/common';
import { isSealed, Refusal, type Caller, type CompanyDocument, type documents, type FileEnvelope, type Input } from '@codase/contracts';
import { companyPut, DOCUMENT, move, signalOfCreation, type PutDocument } from '@codase/domain';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { StreamedString } from '@codase/runtime/http';
import { count } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { holdConnection, holdConnectionWith, holdConnectionWithCode, type ConnectionRow } from '../../sharing/connections/index.ts';
import type { UploadedPayload } from '../../storage/files/index.ts';
import { newId } from '../../kit/ids.ts';
import { Home } from '../../foundation/regions/index.ts';
import { holdService, type OwnService } from '../../services/services/index.ts';
import { DocumentAnnouncer } from './document-announcer.service.ts';
import {
  dayOf,
  isContract,
  isInForce,
  isOfRun,
  isOpen,
  isPersonal,
  OF_NO_RUN,
  type DocumentRow,
  type SignatureRow,
} from './document-row.ts';
import {
  addDocument,
  changeDocument,
  changePayload,
  findOfService,
  listSignatures,
  lockDocument,
  removeDocument,
  type DocumentChanges,
} from './documents.store.ts';
import { METRICS } from './metrics.ts';
import { PayloadUploads } from './payload-uploads.service.ts';
import { readerOf, takeUpload } from './payloads.store.ts';
import { presentDocument } from './present.ts';
import { presentOne } from './presenting.store.ts';
import { RUN_ACTS, type RunActs } from './run-acts.hook.ts';

type Service = Caller<typeof documents.createDocument>;
type NewDocument = Input<typeof documents.createDocument>['body'];
type Change = Input<typeof documents.changeDocument>['body'];
type NewFile = Input<typeof documents.replaceDocumentFile>['body'];
type Act = 'document.created' | 'document.changed' | 'document.deleted' | 'document.file_replaced';

/** Creates, changes and deletes documents for services, each change in one transaction with its events and audit row. @spec D1-2.12 */
@Injectable()
export class DocumentIssuer {
  constructor(
    private readonly home: Home,
    private readonly announcing: DocumentAnnouncer,
    private readonly audit: Audit,
    private readonly uploads: PayloadUploads,
    @Inject(RUN_ACTS) private readonly ofRuns: readonly RunActs[],
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Creates a document. Its payload is stored before the transaction. A repeated call returns the document as it is now. */
  async create(service: Service, given: NewDocument, streamed?: StreamedString): Promise<CompanyDocument> {
    const payload = await this.payloadOf(service, (given.value ?? given.file)!, streamed);
    const { document, repeated } = await this.writeWith(payload, service, (tx) => this.createIn(tx, service, given, payload));
    if (!repeated) {
      count(METRICS.created);
      return presentDocument(document, []);
    }
    await this.uploads.abandon(payload);
    return presentDocument(document, repeated.signatures);
  }

  private async createIn(
    tx: EntityManager,
    service: Service,
    { target, file, idempotency_key, ...given }: NewDocument,
    payload: UploadedPayload,
  ): Promise<{ document: DocumentRow; repeated?: { signatures: SignatureRow[] } }> {
    await holdService(tx, service);
    const recipient = target && (await recipientOf(tx, service, target));
    const { next, also } = move(DOCUMENT, 'none', signalOfCreation(given))!;
    const created_at = this.clock.now();
    const document: DocumentRow = {
      document_id: newId('doc'),
      company_user_id: service.company_user_id,
      service_id: service.service_id,
      connection_id: recipient?.connection_id ?? null,
      person_user_id: recipient?.customer_user_id ?? null,
      share_code: recipient?.share_code ?? null,
      customer_type: recipient?.customer_type ?? null,
      name: given.name,
      kind: given.kind,
      payload_kind: given.payload_kind,
      requires_signature: given.requires_signature,
      requires_acceptance: given.requires_acceptance,
      is_private: given.is_private,
      metadata: given.metadata,
      plain_sha256: given.plain_sha256 ?? null,
      status: next,
      content_type: typeof file === 'object' ? file.mime_type : null,
      content_sha256: payload.content_sha256,
      sealed_at: null,
      cancel_effective_date: null,
      created_at,
      ...OF_NO_RUN,
    };
    const known = await addDocument(tx, document, idempotency_key);
    if (known) return { document: known, repeated: { signatures: await listSignatures(tx, [known]) } };
    await take(tx, document, file, payload);
    await this.note(tx, 'document.created', document);
    await this.announcing.announce(tx, [{ document, also }], created_at);
    return { document };
  }

  /** Changes a document. The recipient is not asked. @spec D1-3.3 */
  change(service: Service, document_id: string, { status, cancel_effective_date, name, metadata }: Change): Promise<CompanyDocument> {
    return this.home.write(service.company_user_id, async (tx) => {
      const before = await lockOwn(tx, service, document_id);
      if (isOfRun(before) && isOpen(before)) throw new Refusal('documents.run_managed');
      const now = this.clock.now();
      const changes: DocumentChanges = {
        ...(name !== undefined && { name }),
        ...(metadata && { metadata: withFlag(metadata, before) }),
        ...(status && this.moved({ ...before, run: await this.runOf(tx, before) }, status, cancel_effective_date, now)),
      };
      const document = await changeDocument(tx, before, changes);
      if (Object.keys(changes).length > 0) {
        await this.note(tx, 'document.changed', document, document.status);
        await this.announcing.announce(tx, [{ document, also: ['announce updated'] }], now);
      }
      return presentOne(tx, document);
    });
  }

  private async runOf(tx: EntityManager, document: DocumentRow): Promise<PutDocument['run']> {
    if (!isOfRun(document)) return 'none';
    for (const runs of this.ofRuns) if (await runs.isOpen(tx, document.run_id)) return 'open';
    return 'over';
  }

  /** @gap D1-3.3 */
  private moved(document: PutDocument, status: NonNullable<Change['status']>, effective: string | undefined, now: Date): DocumentChanges {
    const granted = companyPut(document, status);
    if (typeof granted === 'string') throw new Refusal(granted);
    if (status !== 'active_but_ending') return { status };
    if (effective! <= dayOf(now)) throw new Refusal('request.invalid').because('cancel_effective_date: must be a day to come');
    return { status, cancel_effective_date: effective! };
  }

  remove(service: Service, document_id: string): Promise<void> {
    return this.home.write(service.company_user_id, async (tx) => {
      const document = await lockOwn(tx, service, document_id);
      if (isOfRun(document)) throw managed();
      if (isInForce(document)) throw new Refusal('documents.contract_immutable').because('The contract is in force: end it first');
      await removeDocument(tx, document_id);
      await this.note(tx, 'document.deleted', document);
      if (!isPersonal(document)) return;
      await this.announcing.announceDeleted(tx, document, this.clock.now());
    });
  }

  /** Replaces the file of a document. The file of a contract that was signed or accepted cannot be replaced. @spec D1-2.12 */
  async replaceFile(
    service: Service,
    document_id: string,
    { file, plain_sha256 }: NewFile,
    streamed?: StreamedString,
  ): Promise<{ id: string; plain_sha256: string | null }> {
    if (!streamed && typeof file === 'object') await this.uploads.refuseForOne(service, document_id);
    const payload = await this.payloadOf(service, file, streamed);
    return this.writeWith(payload, service, async (tx) => {
      const before = await lockOwn(tx, service, document_id);
      if (isOfRun(before)) throw managed();
      if (isContract(before) && !isOpen(before)) throw new Refusal('documents.contract_immutable');
      checkReplacement(before, file, plain_sha256);
      const content_type = typeof file === 'object' ? file.mime_type : null;
      const document = { ...before, content_type, content_sha256: payload.content_sha256, plain_sha256: plain_sha256 ?? null };
      await changePayload(tx, document);
      await take(tx, document, file, payload);
      await this.note(tx, 'document.file_replaced', document);
      await this.announcing.announce(tx, [{ document, also: ['announce updated'] }], this.clock.now());
      return { id: document_id, plain_sha256: document.plain_sha256 };
    });
  }

  /** Runs the transaction that takes a payload, and deletes the payload when the transaction fails. */
  private writeWith<T>(payload: UploadedPayload, { company_user_id }: Service, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.home.write(company_user_id, work).catch(async (error: unknown) => {
      await this.uploads.abandon(payload);
      throw error;
    });
  }

  /**
   * Returns the payload: one that was stored while the body arrived, or one that is stored now. Of a streamed payload the checked body has
   * only a short text in its place, so that text must be the payload member and nothing else.
   */
  private async payloadOf(service: Service, given: string | FileEnvelope, streamed?: StreamedString): Promise<UploadedPayload> {
    const text = typeof given === 'object' ? given.file : given;
    if (!streamed) return this.uploads.store(service.company_user_id, [Buffer.from(text)]);
    const uploaded = streamed.taken as UploadedPayload;
    if (streamed.shortened === text) return uploaded;
    await this.uploads.abandon(uploaded);
    throw invalid('body: only the payload may be long, and its member must be there once');
  }

  private note(tx: EntityManager, act: Act, { company_user_id: account_id, document_id: object }: DocumentRow, kind?: string) {
    return this.audit.record(tx, { act, account_id, object, ...(kind !== undefined && { details: { kind } }) });
  }
}

/** A document of a run stays as the run produced it, and stays with the run. @spec D2-8 @gap D2-7 */
const managed = () => new Refusal('documents.run_managed').because('The run keeps its documents: they are neither replaced nor deleted');

/** Keeps the flag that lets the person cancel in the app, unless the service sends a new value. @gap D1-2.12 */
const withFlag = (metadata: NonNullable<Change['metadata']>, before: DocumentRow): DocumentRow['metadata'] => ({
  ...metadata,
  can_be_cancelled_in_app: metadata.can_be_cancelled_in_app ?? before.metadata.can_be_cancelled_in_app,
});

/** Locks a document of the service. A document of another service is not found, like one that does not exist. */
async function lockOwn(tx: EntityManager, own: OwnService, document_id: string): Promise<DocumentRow> {
  const document = (await findOfService(tx, own, document_id)) && (await lockDocument(tx, document_id));
  if (!document) throw new Refusal('documents.not_found');
  return document;
}

/** Returns the connection of the recipient, and holds it until the transaction ends. @spec D1-2.12 */
async function recipientOf(tx: EntityManager, own: OwnService, target: NonNullable<NewDocument['target']>): Promise<ConnectionRow> {
  const connection = await findRecipient(tx, own, target);
  if (!connection) throw new Refusal('company_data.connection_not_found').because('target: no such customer is connected to the service');
  return connection;
}

function findRecipient(tx: EntityManager, own: OwnService, target: NonNullable<NewDocument['target']>): Promise<ConnectionRow | undefined> {
  if ('connection_id' in target) return holdConnection(tx, own, target.connection_id);
  if ('person_user_id' in target) return holdConnectionWith(tx, own, target.person_user_id);
  return holdConnectionWithCode(tx, own, target.share_code);
}

function checkReplacement(document: DocumentRow, file: NewFile['file'], plain_sha256: string | undefined): void {
  if (document.payload_kind !== 'file') throw invalid('file: the document is JSON, and has none');
  if (isPersonal(document) && !isSealed(file)) throw new Refusal('contact_data.encryption_required');
  if (!isPersonal(document) && typeof file === 'string') throw invalid('file: it is for everybody: send it in the clear, as an envelope');
  if ((document.requires_signature || document.requires_acceptance) && plain_sha256 === undefined)
    throw invalid('plain_sha256: must be the SHA-256 of the PDF, since it is to be signed or accepted');
}

const invalid = (reason: string) => new Refusal('request.invalid').because(reason);

/** Attaches the payload to the document. A file in the clear must be as long as its envelope says. @spec D1-2.12 */
async function take(tx: EntityManager, document: DocumentRow, file: NewDocument['file'], payload: UploadedPayload): Promise<void> {
  const { bytes, ...uploaded } = payload;
  if (typeof file === 'object' && file.size !== bytes) throw invalid('file.size: must be the number of bytes of the file');
  if (!(await takeUpload(tx, document, { reader: readerOf(document), ...uploaded }))) throw new Refusal('service.unavailable');
}
