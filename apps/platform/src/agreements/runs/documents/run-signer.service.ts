import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type CompanyDocument } from '@codase/contracts';
import { isOpenRun, move, RUN, RUN_COPY } from '@codase/domain';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { findConnection } from '../../../sharing/connections/index.ts';
import { REGION_DB } from '../../../kit/databases.ts';
import {
  isSigning,
  listSignatures,
  lockCopies,
  openActFile,
  presentOne,
  readCopies,
  RunCopies,
  SealedCopies,
  sealsOutput,
  signatureOf,
  withSigner,
  type Act,
  type ActOptions,
  type RunActs,
  type RunDocument,
  type SealedFile,
  type SigningAct,
} from '../../documents/index.ts';
import { findProfile } from '../../../foundation/regions/index.ts';
import { findService } from '../../../services/services/index.ts';
import { RunAnnouncer } from '../run-announcer.service.ts';
import { finderOf as finderOfOwner, finderOfCustomer } from '../find-run.store.ts';
import { METRICS } from '../metrics.ts';
import { RunEndings } from '../run-endings.service.ts';
import { checkDeadline, hasDeletedAccount, RunLocks, type FindRun, type LockedRun } from '../run-locks.service.ts';
import { counterpartyOf, type RunRow } from '../run-row.ts';
import { findStatus, listParties, moveRun } from '../runs.store.ts';
import { checkCounterparty } from '../turns/turn-checks.ts';
import { readerOf } from './generating.ts';

/** Moves the signing line of a run, by what its parties do with their copies. Exactly one copy is open at a time. @spec D2-3 @spec D2-8 */
@Injectable()
export class RunSigner implements RunActs {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly locking: RunLocks,
    private readonly endings: RunEndings,
    private readonly copies: RunCopies,
    private readonly files: SealedCopies,
    private readonly announcing: RunAnnouncer,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async isOpen(db: Db, run_id: string): Promise<boolean> {
    const status = await findStatus(db, run_id);
    return status !== undefined && isOpenRun(status);
  }

  /** Performs an act on a copy; undefined when its run is over, since its documents are like all others then. */
  async act(document: RunDocument, act: Act, { file, withinMs = Infinity }: ActOptions): Promise<CompanyDocument | undefined> {
    const deadline = performance.now() + withinMs;
    const find = finderOf(document);
    const run = await find.read(this.db);
    if (!run) return undefined;
    if (!isOpenRun(run.status)) return this.whenOver(run);
    if (!isSigning(act)) return this.endRun(find, document, act, deadline);
    const seal = await this.checked(run, document, act, file);
    try {
      return await this.locking.locked(find, deadline - performance.now(), (tx, locked) => this.sign(tx, locked, { document, act, seal }));
    } catch (error) {
      if (seal) await this.files.abandon(seal.copies);
      throw error;
    }
  }

  /** Refuses when the run was cancelled because a party has deleted the account: the refusal says more than that it is over. @spec D2-4 */
  private async whenOver({ run_id, status }: RunRow): Promise<undefined> {
    if (status !== 'cancelled') return;
    checkCounterparty({ hasDeletedParty: await hasDeletedAccount(this.db, await listParties(this.db, run_id)) });
  }

  /**
   * Checks before the transaction that all parties have their accounts, that the copy is open, and that the file is the one that was
   * issued. Seals the file when this is the last act on its output. @spec D2-4.1 @spec D2-8 @spec D1-2.12.5
   */
  private async checked(run: RunRow, document: RunDocument, act: SigningAct, file: ActOptions['file']): Promise<SealedFile | undefined> {
    checkCounterparty({ hasDeletedParty: await hasDeletedAccount(this.db, await listParties(this.db, run.run_id)) });
    if (!move(RUN_COPY, document.status, act.kind)) throw notOpen(document);
    if (!file) throw new Refusal('request.invalid').because('file: must be the PDF under a one-time key, with its otk');
    const pdf = await openActFile(document, file);
    try {
      const copies = await readCopies(this.db, document.run_id);
      if (!sealsOutput(copies, document)) return undefined;
      return await this.sealed(run, document, act, {
        pdf,
        ofOutput: copies.filter(({ output_key }) => output_key === document.output_key),
      });
    } finally {
      pdf.fill(0);
    }
  }

  /** Seals the file with the acts of all parties, and stores a copy for every participant. @spec D1-2.12.5 */
  private async sealed(
    run: RunRow,
    document: RunDocument,
    act: SigningAct,
    { pdf, ofOutput }: { pdf: Buffer; ofOutput: readonly RunDocument[] },
  ): Promise<SealedFile> {
    const now = this.clock.now();
    const acts = await listSignatures(this.db, ofOutput);
    const tooLate = whenGone(document);
    const own = withSigner(signatureOf(document, act, now), await nameOf(this.db, run, document).catch(tooLate));
    const parties = await listParties(this.db, run.run_id);
    const { public_key: service_key } = await findService(this.db, run).catch(tooLate);
    const partyOf = (key: string) => parties.find(({ party_key }) => party_key === key)!;
    const readers = ofOutput.map(({ document_id, party_key }) => readerOf(document_id, partyOf(party_key), service_key));
    const { content_sha256, plain_sha256 } = document;
    return {
      sealed_at: now,
      of: { content_sha256, plain_sha256 },
      copies: await this.files.sealFor(document, pdf, [...acts, own], readers),
    };
  }

  private async sign(
    tx: EntityManager,
    locked: LockedRun,
    { document, act, seal }: { document: RunDocument; act: SigningAct; seal: SealedFile | undefined },
  ): Promise<CompanyDocument> {
    const { run, parties } = locked;
    checkCounterparty(locked);
    const copies = await lockCopies(tx, [run.run_id]);
    const copy = copies.find(({ document_id }) => document_id === document.document_id);
    if (!copy || run.status !== 'awaiting_signature') throw notOpen(document);
    if (sealsOutput(copies, copy) !== (seal !== undefined)) throw new Refusal('service.unavailable');
    const [now, about] = [this.clock.now(), counterpartyOf(parties)];
    const display_name = await nameOf(tx, run, document);
    const opened = await this.copies.act(tx, { copy, copies, act, user_id: copy.person_user_id, display_name, seal, about, now });
    const next = move(RUN, 'awaiting_signature', opened ? 'step acted' : 'last step acted')!.next as RunRow['status'];
    const moved = { ...run, status: next, current_node: next === 'completed' ? null : run.current_node };
    await moveRun(tx, run.run_id, moved);
    const bound = { run: moved, parties };
    if (opened) {
      const awaited = parties.find(({ party_key }) => party_key === opened.party_key)!;
      await this.announcing.announceTurn(tx, bound, awaited, now);
    } else {
      await this.announcing.announceCompleted(tx, bound, now);
      count(METRICS.ended, { 'codase.outcome': 'completed' });
    }
    return presentCopy(tx, copy);
  }

  /** Cancels the run, because a party declines or cancels a document of it. @spec D2-3 */
  private endRun(find: FindRun, document: RunDocument, act: Exclude<Act, SigningAct>, deadline: number): Promise<CompanyDocument> {
    return this.locking.locked(find, deadline - performance.now(), async (tx, locked) => {
      checkCounterparty(locked);
      const copies = await lockCopies(tx, [locked.run.run_id]);
      const copy = copies.find(({ document_id }) => document_id === document.document_id);
      if (!copy || !isOpenRun(locked.run.status)) throw notOpen(document);
      checkEnding(copy, act);
      await this.endings.cancelIn(tx, [locked], act.kind === 'decline' ? 'declined' : 'document_cancelled', copy);
      checkDeadline(deadline);
      return presentCopy(tx, copy);
    });
  }
}

/** Presents a copy as it is now. */
const presentCopy = async (tx: EntityManager, { run_id, document_id: id }: RunDocument): Promise<CompanyDocument> =>
  presentOne(
    tx,
    (await readCopies(tx, run_id)).find(({ document_id }) => document_id === id)!,
  );

/** Returns the name by which the company knows who accepts, or its own. Nobody verified it. @spec D1-6.2 */
async function nameOf(db: Db, run: RunRow, { connection_id }: RunDocument): Promise<string> {
  if (connection_id !== null) return (await findConnection(db, run, connection_id)).display_name;
  return (await findProfile(db, run.company_user_id))?.display_name ?? '';
}

/** A party declines the copy that is open for it, and cancels one that it signed, where the service allows that. @spec D2-3 @gap D2-3 */
function checkEnding(copy: RunDocument, { kind }: Exclude<Act, SigningAct>): void {
  const isOpen = copy.status === 'ready_to_sign' || copy.status === 'offering';
  if (kind === 'decline' ? !isOpen : copy.status !== 'active') throw notOpen(copy);
  if (kind === 'cancel' && !copy.metadata.can_be_cancelled_in_app)
    throw new Refusal('documents.transition_invalid').because('The service does not let this contract be cancelled in the app');
}

/** Refuses an act that comes too late: its connection or its service is gone, which has ended the run. */
const whenGone =
  (document: RunDocument) =>
  (error: unknown): never => {
    throw error instanceof Refusal ? notOpen(document) : error;
  };

const notOpen = ({ status }: Pick<RunDocument, 'status'>): Refusal => {
  const refusal = new Refusal('documents.transition_invalid');
  return status === 'waiting' ? refusal.because('The signing line has not come to it yet') : refusal;
};

/** Finds the run of a copy for the party whose copy it is. */
const finderOf = ({ run_id, connection_id, person_user_id: user_id, company_user_id, service_id }: RunDocument): FindRun =>
  connection_id === null
    ? finderOfOwner({ own: { company_user_id, service_id }, run_id })
    : finderOfCustomer({ user_id, connection_id, run_id });
