import { Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { move, RUN_COPY, signalOfOpening, type CopySignal } from '@codase/domain';
import { openStep, seals, type Copy, type Step } from '@codase/domain/flow-language';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { newId } from '../../kit/ids.ts';
import { signatureOf, type SigningAct } from './act.ts';
import { DocumentAnnouncer, type Announced } from './document-announcer.service.ts';
import { dayOf, withSigner, type DocumentRow, type RunDocument } from './document-row.ts';
import { addDocument, addSignature, changeDocument } from './documents.store.ts';
import { SealedCopies, type SealedFile, type StoredCopy } from './sealed-copies.service.ts';

/** The customer whom events of the company's own copy name. */
type About = Announced['about'];

/** A copy that is issued: the participant whose it is, and the stored file. */
export interface NewCopy
  extends Copy, Pick<DocumentRow, 'document_id' | 'connection_id' | 'share_code' | 'customer_type' | 'plain_sha256'> {
  person_user_id: string;
  stored: StoredCopy;
}

interface Issued extends Pick<DocumentRow, 'company_user_id' | 'service_id'> {
  run_id: string;
}

/** An act on a copy: its run and all its copies are locked. */
interface CopyAct {
  copy: RunDocument;
  copies: readonly RunDocument[];
  act: SigningAct;
  user_id: string;
  /** The name by which the company knows the one who accepts. */
  display_name: string;
  /** The sealed file, when the act is the last one on its output. */
  seal: SealedFile | undefined;
  about: About;
  now: Date;
}

/** The copies of the documents of runs, and their signing line. Runs themselves belong to the capability above. @spec D2-3 @spec D2-8 */
@Injectable()
export class RunCopies {
  constructor(
    private readonly announcing: DocumentAnnouncer,
    private readonly files: SealedCopies,
    private readonly audit: Audit,
  ) {}

  /** Issues the copies of a run, in line order: the first of the line is open, the others wait. @spec D2-4.3.5 */
  async issue(tx: EntityManager, run: Issued, copies: readonly NewCopy[], about: About, at: Date): Promise<void> {
    const announced: Announced[] = [];
    for (const [nth, copy] of copies.entries()) {
      const { next, also } = move(RUN_COPY, 'none', signalOfCreation(copy))!;
      const document = documentOf(run, copy, { run_order: nth, status: next, created_at: at });
      await addDocument(tx, document, undefined);
      announced.push({ document, also, about });
    }
    const stored = copies.map((copy) => copy.stored);
    await this.files.take(tx, { ...run, name: '' }, stored);
    for (const { document } of announced) await this.note(tx, 'document.created', document);
    await this.announcing.announce(tx, announced, at);
  }

  /** Signs or accepts a copy. Returns the next copy of the line, which it opens; undefined when the line is done. @spec D2-3 @spec D2-8 */
  async act(tx: EntityManager, { copy, copies, act, user_id, display_name, seal, about, now }: CopyAct): Promise<RunDocument | undefined> {
    const moved = move(RUN_COPY, copy.status, act.kind);
    if (!moved) throw new Refusal('documents.transition_invalid');
    const signature = withSigner(signatureOf(copy, act, now), display_name);
    await addSignature(tx, copy, { ...signature, signature_id: newId('sig'), user_id });
    const sealed = seal ? await this.takeSeal(tx, copies, seal) : [];
    const document = { ...(sealed.find(isSame(copy)) ?? copy), status: moved.next };
    const waiting = copies.find(({ document_id }) => document_id === nextIn(copies, copy));
    const opened = waiting && { ...waiting, status: move(RUN_COPY, 'waiting', signalOfOpening(actionOf(waiting)!))!.next };
    await changeDocument(tx, document, {});
    if (opened) await changeDocument(tx, opened, {});
    await this.note(tx, act.kind === 'sign' ? 'document.signed' : 'document.accepted', document, user_id);
    const announced: Announced[] = [{ document, also: moved.also, act: signature, about }];
    if (opened) announced.push({ document: opened, also: ['announce opened'], about });
    await this.announcing.announce(tx, announced, now);
    const others = sealed.filter((other) => !isSame(copy)(other));
    await this.announcing.announceReplaced(tx, others, now);
    return opened;
  }

  /** Ends the copies of cancelled runs that are open or wait. All of them are locked. @spec D2-3 */
  async end(tx: EntityManager, copies: readonly RunDocument[], { declined, isServiceGone, aboutOf, now }: Ending): Promise<void> {
    const announced = copies.flatMap((copy): Announced[] => {
      const isDeclined = copy.document_id === declined?.document_id;
      const moved = move(RUN_COPY, copy.status, 'run cancelled');
      if (!moved && !isDeclined) return [];
      const also: Announced['also'] = isDeclined ? ['announce cancelled'] : moved!.also;
      const cancel_effective_date = isDeclined ? dayOf(now) : copy.cancel_effective_date;
      return [{ document: { ...copy, status: 'ended', cancel_effective_date }, also, about: aboutOf(copy.run_id) }];
    });
    for (const { document } of announced) await changeDocument(tx, document, {});
    if (declined) {
      const act = declined.status === 'active' ? 'document.cancelled' : 'document.declined';
      await this.note(tx, act, declined, declined.person_user_id);
    }
    const ended = announced.map(({ document }) => document);
    await (isServiceGone ? this.announcing.announceReplaced(tx, ended, now) : this.announcing.announce(tx, announced, now));
  }

  /** Attaches the sealed file to the copy of every party. Returns these copies as they are now. @spec D1-2.12.5 */
  private async takeSeal(tx: EntityManager, copies: readonly RunDocument[], seal: SealedFile): Promise<RunDocument[]> {
    await this.files.take(tx, copies[0]!, seal.copies);
    const sealed: RunDocument[] = [];
    for (const { document_id, uploaded } of seal.copies) {
      const copy = copies.find((one) => one.document_id === document_id)!;
      sealed.push(await changeDocument(tx, copy, { sealed_at: seal.sealed_at, content_sha256: uploaded.content_sha256 }));
    }
    return sealed;
  }

  private note(tx: EntityManager, act: Noted, { company_user_id: account_id, document_id: object }: DocumentRow, initiator?: string) {
    return this.audit.record(tx, { act, account_id, object, ...(initiator !== undefined && { initiator }) });
  }
}

type Noted = 'document.created' | 'document.signed' | 'document.accepted' | 'document.declined' | 'document.cancelled';

interface Ending {
  /** The copy whose party declined or cancelled, and so has ended the run. */
  declined?: RunDocument | undefined;
  /** Whether the service is being deleted: then only recipients hear of it. */
  isServiceGone?: boolean;
  aboutOf(run_id: string): About;
  now: Date;
}

const isSame =
  ({ document_id }: Pick<RunDocument, 'document_id'>) =>
  (other: Pick<RunDocument, 'document_id'>): boolean =>
    other.document_id === document_id;

const actionOf = ({ requires_signature, requires_acceptance }: Pick<DocumentRow, 'requires_signature' | 'requires_acceptance'>) => {
  if (requires_signature) return 'sign';
  return requires_acceptance ? 'accept' : null;
};

/** Returns the steps of the signing line of a run's copies. @spec D2-8 */
const lineOf = (copies: readonly RunDocument[]): Step[] =>
  copies.flatMap((copy) => {
    const { position, output_key, party_key: party } = copy;
    return position === null ? [] : [{ position, output_key, party, action: actionOf(copy)! }];
  });

/** Returns the copy that the line opens after an act on one of them. */
function nextIn(copies: readonly RunDocument[], acted: RunDocument): string | undefined {
  const done = copies.filter(({ status, position }) => position !== null && status !== 'waiting').map(({ position }) => position!);
  const open = openStep(lineOf(copies), new Set([...done, acted.position!]));
  return copies.find(({ position }) => open !== undefined && position === open.position)?.document_id;
}

/** Whether an act on the copy is the last one on its output, and so seals it. @spec D2-8 */
export function sealsOutput(copies: readonly RunDocument[], copy: RunDocument): boolean {
  const line = lineOf(copies);
  const step = line.find(({ position }) => position === copy.position);
  return step !== undefined && seals(line, step);
}

function signalOfCreation({ position, action, status }: Copy): CopySignal {
  if (position === null) return 'create active';
  if (status === 'waiting') return 'create waiting';
  return action === 'sign' ? 'create to sign' : 'create to accept';
}

type Placed = Pick<DocumentRow, 'run_order' | 'status' | 'created_at'>;

/** A document of a run is an agreement: its parties sign it, or it is made for them. @gap D2-4.3 */
function documentOf({ run_id, company_user_id, service_id }: Issued, { action, stored, ...copy }: NewCopy, placed: Placed): DocumentRow {
  return {
    ...copy,
    company_user_id,
    service_id,
    run_id,
    kind: 'agreement',
    payload_kind: 'file',
    requires_signature: action === 'sign',
    requires_acceptance: action === 'accept',
    is_private: false,
    metadata: { can_be_cancelled_in_app: false },
    content_type: null,
    content_sha256: stored.uploaded.content_sha256,
    sealed_at: null,
    cancel_effective_date: null,
    ...placed,
  };
}
