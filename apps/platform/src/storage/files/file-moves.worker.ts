import { Inject, Injectable } from '@nestjs/common';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import type { CompanyLeaves } from '../moves/index.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { HERE, OwnMode, tryHoldHomes, type Here } from '../../foundation/regions/index.ts';
import { FILE_SETTINGS, Files, type FileSettings } from './files.service.ts';
import { METRICS } from './metrics.ts';
import { RESTING_FILES, type RestingFile, type RestingFiles } from './files.hook.ts';
import {
  endUpload,
  hasStoredFiles,
  keepTaken,
  leaveTaken,
  markForDeletion,
  takeToBringBack,
  type TakenBack,
} from './stored-objects.store.ts';
import { inPieces } from '../../kit/text-pieces.ts';

const EVERY_MS = 5000;
const AT_ONCE = 8;
const MAX_BATCHES = 50;

/**
 * Moves the contents of files to the store where they should rest. An act writes its file to the database, in its own transaction. From
 * there this worker moves the file to the object store, if files rest there. So no act waits for the store or fails with it. Files of a
 * company that leaves the region are brought back into the database first, since a move copies only rows.
 */
@Injectable()
export class FileMoves extends PeriodicWorker implements CompanyLeaves {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly files: Files,
    @Inject(RESTING_FILES) private readonly kinds: readonly RestingFiles[],
    @Inject(FILE_SETTINGS) private readonly settings: FileSettings,
    @Inject(OwnMode) private readonly mode: Pick<OwnMode, 'isPaused'>,
    @Inject(HERE) private readonly here: Here,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'file_moves', everyMs: EVERY_MS, failure: 'files could not be moved to where they should rest' }, log);
  }

  /** Returns how many files moved. A file that the store cannot take now stays where it is, and is read from there. */
  async round(): Promise<number> {
    if (this.mode.isPaused()) return 0;
    let moved = 0;
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const now = await this.batch();
      moved += now;
      if (now === 0) break;
    }
    return moved;
  }

  /** Only this replica is woken: the others learn of the company in their next round at the latest, or when `isSettled` is called there. */
  async companyLeaves(): Promise<void> {
    this.wake();
  }

  async isSettled(tx: EntityManager, company_user_id: string): Promise<boolean> {
    if (!(await hasStoredFiles(tx, company_user_id))) return true;
    this.wake();
    return false;
  }

  private async batch(): Promise<number> {
    const isInDatabase = this.settings.store === 'postgres';
    const back = await takeToBringBack(this.db, isInDatabase ? 'all' : 'leaving', AT_ONCE);
    const moving = back.map((file) => this.bringBack(file));
    for (const kind of isInDatabase ? [] : this.kinds) {
      for (const file of await kind.listToUpload(this.db, AT_ONCE)) moving.push(this.upload(kind, file));
    }
    const moves = await Promise.allSettled(moving);
    const failed = moves.find((move) => move.status === 'rejected');
    if (failed) throw failed.reason;
    return moves.filter((move) => move.status === 'fulfilled' && move.value).length;
  }

  /** Moves a file to the object store. Returns whether it rests there now. */
  private async upload(kind: RestingFiles, { owner_id, company_user_id }: RestingFile): Promise<boolean> {
    const owner = { company_user_id, owner_id, owner_kind: kind.owner_kind };
    const uploaded = await this.files.upload(owner, () => kind.read(this.db, owner_id));
    if (!uploaded) return false;
    const { object_key, bytes } = uploaded;
    const isMoved = await this.whileAt(['here'], company_user_id, async (tx) => {
      if (!(await kind.lock(tx, owner_id)) || !(await endUpload(tx, object_key, bytes))) return false;
      await kind.removePieces(tx, owner_id);
      return true;
    });
    if (isMoved) count(METRICS.filesMoved, { 'codase.store': 's3' });
    else await markForDeletion(this.db, object_key);
    return isMoved;
  }

  /** Moves a file back into the database. Returns whether it rests there now. */
  private async bringBack(file: TakenBack): Promise<boolean> {
    try {
      const isBack = await this.writePieces(file);
      if (isBack) count(METRICS.filesMoved, { 'codase.store': 'postgres' });
      return isBack;
    } catch (error) {
      throw await this.files.noted(error, file);
    } finally {
      await leaveTaken(this.db, file);
    }
  }

  /**
   * Writes the pieces one by one, since the file may be long. They do not count as long as the object counts: after a crash in between,
   * another replica takes the file over and begins anew. Returns false when that happened while this replica still wrote.
   */
  private async writePieces(file: TakenBack): Promise<boolean> {
    const { owner_id, company_user_id, object_key } = file;
    const kind = this.kinds.find(({ owner_kind }) => owner_kind === file.owner_kind);
    if (!kind) throw new Error(`nobody has files of ${file.owner_kind}`);
    const write = (work: (tx: EntityManager) => Promise<unknown>) =>
      this.whileAt(['here', 'settling'], company_user_id, async (tx) => {
        if (!(await kind.lock(tx, owner_id)) || !(await keepTaken(tx, file))) return false;
        await work(tx);
        return true;
      });
    if (!(await write((tx) => kind.removePieces(tx, owner_id)))) return false;
    let position = 0;
    for await (const piece of inPieces(await this.files.stream(file))) {
      const at = ++position;
      if (!(await write((tx) => kind.addPiece(tx, file, at, piece)))) return false;
    }
    return write((tx) => markForDeletion(tx, object_key));
  }

  /** Does the work with the company's home lock, like every write of its rows: nothing is written after a move has copied them. */
  private whileAt(
    states: ('here' | 'settling')[],
    company_user_id: string,
    work: (tx: EntityManager) => Promise<boolean>,
  ): Promise<boolean> {
    return this.db.transaction(async (tx) => (await tryHoldHomes(tx, [company_user_id], states)).has(company_user_id) && work(tx));
  }
}
