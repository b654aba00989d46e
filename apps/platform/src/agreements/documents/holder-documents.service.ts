import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type CompanyDocument, type DOCUMENT_SUBJECTS } from '@codase/contracts';
import { DOCUMENT, move, signalOfCancellation, type DocumentSignal } from '@codase/domain';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { one } from '@codase/runtime/db';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { takePieces } from '../../foundation/peers/index.ts';
import { holdConnection, unavailableWhenLocked, type ConnectionRow } from '../../sharing/connections/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { Home } from '../../foundation/regions/index.ts';
import { holdService } from '../../services/services/index.ts';
import { isSigning, signatureOf, type Act, type ActOptions, type SigningAct } from './act.ts';
import { ActBox, type ActFile } from './act-file.service.ts';
import { DocumentAnnouncer } from './document-announcer.service.ts';
import { ContentReader, DocumentContents, readerOf, type Content } from './payloads.store.ts';
import { dayOf, isBroadcast, isOfRun, isPersonal, statusOf, withSigner, type DocumentRow, type PersonalDocument } from './document-row.ts';
import { addSignature, changeDocument, findOfHolder, listPositions, lockDocument, type DocumentChanges } from './documents.store.ts';
import { METRICS } from './metrics.ts';
import { presentOne } from './presenting.store.ts';
import { RUN_ACTS, type RunActs } from './run-acts.hook.ts';
import { SealedCopies, type SealedFile } from './sealed-copies.service.ts';
import { SignerNames } from './signer-names.service.ts';

type ActRequest = MessageOf<typeof DOCUMENT_SUBJECTS.act>;

interface Signing {
  user_id: string;
  document_id: string;
  act: SigningAct;
  file: ActFile | undefined;
  now: Date;
}

interface Acting {
  user_id: string;
  act: Act;
  connection: ConnectionRow | undefined;
  seal: SealedFile | undefined;
  now: Date;
}

/** A document that is locked, and its connection, which is held. */
interface Locked {
  document: PersonalDocument;
  connection: ConnectionRow | undefined;
}

/** The content of a document as its recipient reads it. */
export type StoredContent = Pick<DocumentRow, 'content_type' | 'content_sha256'> & Pick<Content, 'served_sha256'> & { content: Content };

/** How long an act waits for another one on the same document. */
const LOCK_WAIT_MS = 2000;

const AUDITED = {
  sign: 'document.signed',
  accept: 'document.accepted',
  decline: 'document.declined',
  cancel: 'document.cancelled',
} as const;

const COUNTED = { sign: 'signed', accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const;

/** Counts an act of a recipient, or of a company on its own copy of a document of a run. */
export const countAct = ({ kind }: Act): void => count(METRICS.acts, { 'codase.outcome': COUNTED[kind] });

/** What recipients do with the documents of companies that live in this region. @spec D1-3.3 */
@Injectable()
export class HolderDocuments {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly announcing: DocumentAnnouncer,
    private readonly audit: Audit,
    private readonly copies: SealedCopies,
    private readonly contents: DocumentContents,
    private readonly payloads: ContentReader,
    private readonly names: SignerNames,
    @Inject(RUN_ACTS) private readonly ofRuns: readonly RunActs[],
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async positions({ user_id, limit, after, connection_id, status }: MessageOf<typeof DOCUMENT_SUBJECTS.positions>) {
    const narrowed = { connection_id: connection_id ?? undefined, status: status ?? undefined };
    const slice = { limit, after: after ? { at: new Date(after.at), id: after.id } : undefined };
    const positions = await listPositions(this.db, user_id, narrowed, slice);
    return { positions: positions.map(({ at, id }) => ({ at: at.toISOString(), id })) };
  }

  async read({ user_id, document_id }: MessageOf<typeof DOCUMENT_SUBJECTS.read>): Promise<CompanyDocument> {
    return presentOne(this.db, await this.find(user_id, document_id));
  }

  async content({ user_id, document_id }: MessageOf<typeof DOCUMENT_SUBJECTS.read>): Promise<StoredContent> {
    const document = await this.find(user_id, document_id);
    const content = await this.contents.ofReader(this.db, document_id, readerOf(document));
    if (!content) throw notFound();
    const { content_type, content_sha256 } = document;
    return { content, served_sha256: isBroadcast(document) ? null : content.served_sha256, content_type, content_sha256 };
  }

  async piece({ position, ...request }: MessageOf<typeof DOCUMENT_SUBJECTS.piece>) {
    const { content, ...answered } = await this.content(request);
    return { ...answered, content_id: content.owner_id, ...(await this.payloads.piece(content, position)) };
  }

  /** Performs an act that another region sent. Its file, if it has one, arrived before it in chunks. */
  async actFromElsewhere(request: ActRequest, withinMs = Infinity): Promise<CompanyDocument> {
    const { act } = request;
    const sent = 'sent' in act ? act.sent : undefined;
    if (!sent) return this.act(request, { withinMs });
    const startedAt = performance.now();
    const box = new ActBox();
    for await (const piece of takePieces(this.db, sent)) await box.write(Buffer.from(piece, 'latin1'));
    const file = { otk: sent.otk, box: await box.end() };
    return this.act(request, { withinMs: withinMs - (performance.now() - startedAt), file });
  }

  /**
   * Performs an act of a recipient. Only the first act on a document counts. It is rolled back when the caller has stopped waiting, since
   * that caller reports a failure to the person. A file is sealed before the transaction: without a seal there is no act, and a seal that
   * no act takes is deleted. An act on a document of an open run moves the run too. @spec D1-2.12.5 @spec D2-3
   */
  async act(given: ActRequest, options: ActOptions = {}): Promise<CompanyDocument> {
    const request = await this.names.judged(given);
    const { user_id, document_id, act } = request;
    const { file, withinMs = Infinity } = options;
    const ofRun = await this.actOfRun(request, options);
    if (ofRun) return ofRun;
    const deadline = performance.now() + withinMs;
    const now = this.clock.now();
    const seal = isSigning(act) ? await this.seal({ user_id, document_id, act, file, now }) : undefined;
    const presented = await this.home
      .transaction(async (tx) => {
        const { document, connection } = await this.lock(tx, user_id, document_id);
        const after = await this.actIn(tx, document, { user_id, act, connection, seal, now });
        if (performance.now() > deadline) throw new Refusal('service.unavailable');
        return presentOne(tx, after);
      })
      .catch(async (error: unknown) => {
        if (seal) await this.copies.abandon(seal.copies);
        throw unavailableWhenLocked(error);
      });
    countAct(act);
    return presented;
  }

  /** Performs an act on a document of an open run; undefined for all other documents. */
  private async actOfRun({ user_id, document_id, act }: ActRequest, options: ActOptions): Promise<CompanyDocument | undefined> {
    const document = await this.find(user_id, document_id);
    if (!isOfRun(document)) return undefined;
    for (const runs of this.ofRuns) {
      const acted = await runs.act(document, act, options);
      if (!acted) continue;
      countAct(act);
      return acted;
    }
    return undefined;
  }

  /** Seals the file of an act, if the document has one. An act that the state does not allow is refused before the file is opened. */
  private async seal({ user_id, document_id, act, file, now }: Signing): Promise<SealedFile | undefined> {
    const document = await this.find(user_id, document_id);
    if (!isPersonal(document) || !move(DOCUMENT, statusOf(document), act.kind)) throw new Refusal('documents.transition_invalid');
    const given = fileOf(document, file);
    return given && this.copies.seal(document, given, signatureOf(document, act, now));
  }

  /**
   * Locks the document. The service and the connection are held until the transaction ends, so that neither ends while a contract comes
   * into force. The locks are taken in the same order as by transactions that end a connection or a service.
   */
  private async lock(tx: EntityManager, user_id: string, document_id: string): Promise<Locked> {
    const found = await findOfHolder(tx, user_id, document_id);
    if (!found) throw notFound();
    await this.home.remains(tx, found.company_user_id);
    await one(tx)`select set_config('lock_timeout', ${`${LOCK_WAIT_MS}ms`}, true)`;
    await holdService(tx, found).catch((error: unknown) => {
      throw error instanceof Refusal ? withoutService(found) : error;
    });
    const connection = found.connection_id === null ? undefined : await holdConnection(tx, found, found.connection_id);
    const document = await lockDocument(tx, document_id);
    if (!document) throw notFound();
    if (!isPersonal(document))
      throw new Refusal('documents.transition_invalid').because('It is for everybody, and asks nothing of anybody');
    return { document, connection };
  }

  private async actIn(tx: EntityManager, before: PersonalDocument, { user_id, act, connection, seal, now }: Acting): Promise<DocumentRow> {
    const effective = isSigning(act) ? null : laterOf(act.kind === 'cancel' ? act.effective_date : undefined, dayOf(now));
    const moved = move(DOCUMENT, statusOf(before), signalOf(before, act, effective, dayOf(now)));
    if (!moved) throw new Refusal('documents.transition_invalid');
    const signature = isSigning(act) ? withSigner(signatureOf(before, act, now), connection?.display_name ?? '') : undefined;
    if (signature) await addSignature(tx, before, { ...signature, signature_id: newId('sig'), user_id });
    const sealed = signature && (await this.takeSeal(tx, before, seal));
    const document = await changeDocument(tx, before, {
      status: moved.next,
      cancel_effective_date: effective ?? before.cancel_effective_date,
      ...sealed,
    });
    const { company_user_id: account_id, document_id: object } = document;
    await this.audit.record(tx, { act: AUDITED[act.kind], account_id, object, initiator: user_id });
    await this.announcing.announce(tx, [{ document, also: moved.also, act: signature }], now);
    return document;
  }

  /** Attaches the sealed copies. Refuses when the service has replaced the file meanwhile: the recipient has not signed that one. */
  private async takeSeal(tx: EntityManager, before: DocumentRow, seal: SealedFile | undefined): Promise<DocumentChanges> {
    if (before.payload_kind === 'json') return {};
    if (!seal || !isSameFile(seal.of, before)) throw new Refusal('documents.file_invalid').because(REPLACED);
    await this.copies.take(tx, before, seal.copies);
    const ofRecipient = seal.copies.find(({ reader }) => reader === 'recipient')!;
    return { sealed_at: seal.sealed_at, content_sha256: ofRecipient.uploaded.content_sha256 };
  }

  private async find(user_id: string, document_id: string): Promise<DocumentRow> {
    const document = await findOfHolder(this.db, user_id, document_id);
    if (!document) throw notFound();
    return document;
  }
}

const notFound = () => new Refusal('documents.not_found');

/** The documents of a service are deleted with it, except those of runs, which end. @spec D2-8 */
const withoutService = (document: DocumentRow): Refusal =>
  isOfRun(document) ? new Refusal('documents.transition_invalid').because('Its service was deleted, which has ended it') : notFound();

/** Returns the later of the two days: the date of a phone may be a day behind. */
const laterOf = (wanted: string | undefined, today: string): string => (wanted !== undefined && wanted > today ? wanted : today);

/** @spec D1-3.3 */
function signalOf({ metadata }: DocumentRow, act: Act, effective: string | null, today: string): DocumentSignal {
  if (act.kind !== 'cancel') return act.kind;
  if (!metadata.can_be_cancelled_in_app) {
    throw new Refusal('documents.transition_invalid').because('The service does not let this contract be cancelled in the app');
  }
  return signalOfCancellation(effective!, today);
}

type Digests = SealedFile['of'];
const isSameFile = (one: Digests, other: Digests): boolean =>
  one.content_sha256 === other.content_sha256 && one.plain_sha256 === other.plain_sha256;

const REPLACED = 'file: the service has put another file in its place: read that one first';

/** Returns the file of an act; undefined for JSON. A document with a file needs it, since its seal is part of the act. @spec D1-2.12 */
function fileOf({ payload_kind, plain_sha256 }: DocumentRow, file: ActFile | undefined): ActFile | undefined {
  if (payload_kind === 'json') {
    if (file) throw new Refusal('request.invalid').because('file: the contract is JSON, and is signed or accepted without one');
    return undefined;
  }
  if (plain_sha256 === null) throw new Refusal('documents.transition_invalid').because('The service has not given the digest of the PDF');
  if (!file) throw new Refusal('request.invalid').because('file: must be the PDF under a one-time key, with its otk');
  return file;
}
