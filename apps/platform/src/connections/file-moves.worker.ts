import { Inject, Injectable } from '@nestjs/common';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { endUpload, FILE_SETTINGS, Files, markForDeletion, type FileSettings, type StoredObject } from '../files/index.ts';
import type { CompanyLeaves } from '../moves/index.ts';
import { PeriodicWorker } from '../periodic-worker.service.ts';
import { HERE, Modes, tryHoldHomes, type Here } from '../regions/index.ts';
import { METRICS } from './metrics.ts';
import { PostgresFiles } from './postgres-files.store.ts';
import { hasStoredFiles, isStoredIn, listToBringBack, listToUpload, lockValue, type MisplacedFile } from './resting-files.store.ts';

const EVERY_MS = 5000;
const AT_ONCE = 8;
const MOST_BATCHES = 50;

/**
 * Moves the contents of files to where they should rest. A file is given in one transaction with the act, in the database; from there it
 * goes to the object store, if that is where files rest: so no act waits for the store or fails with it. Files of a company that leaves the
 * region come back first, since what moves is its rows.
 */
@Injectable()
export class FileMoves extends PeriodicWorker implements CompanyLeaves {
  private readonly pieces: PostgresFiles;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly files: Files,
    @Inject(FILE_SETTINGS) private readonly settings: FileSettings,
    @Inject(Modes) private readonly modes: Pick<Modes, 'isPausedHere'>,
    @Inject(HERE) private readonly here: Here,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'file_moves', everyMs: EVERY_MS, failure: 'files could not be moved to where they should rest' }, log);
    this.pieces = new PostgresFiles(db);
  }

  /** Answers how many moved. What the store cannot take now stays where it is, and is read from there. */
  async round(): Promise<number> {
    if (this.modes.isPausedHere(this.here)) return 0;
    let moved = 0;
    for (let batch = 0; batch < MOST_BATCHES; batch++) {
      const now = await this.batch();
      moved += now;
      if (now === 0) break;
    }
    return moved;
  }

  /** Another replica may be asked whether all is settled, and this one hears of it in its next round at the latest. */
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
    const back = await listToBringBack(this.db, isInDatabase ? 'all' : 'leaving', AT_ONCE);
    const away = isInDatabase ? [] : await listToUpload(this.db, AT_ONCE);
    const moves = await Promise.allSettled([...back.map((file) => this.bringBack(file)), ...away.map((file) => this.upload(file))]);
    const failed = moves.find((move) => move.status === 'rejected');
    if (failed) throw failed.reason;
    return moves.filter((move) => move.status === 'fulfilled' && move.value).length;
  }

  /** Whether it rests in the object store now. */
  private async upload({ shared_value_id, company_user_id }: MisplacedFile): Promise<boolean> {
    const owner = { company_user_id, owner_id: shared_value_id };
    const uploaded = await this.files.upload(owner, () => this.read(shared_value_id));
    if (!uploaded) return false;
    const { object_key, bytes } = uploaded;
    const isMoved = await this.whileAt(['here'], company_user_id, async (tx) => {
      if (!(await lockValue(tx, shared_value_id)) || !(await endUpload(tx, object_key, bytes))) return false;
      await new PostgresFiles(tx).delete(shared_value_id);
      return true;
    });
    if (isMoved) count(METRICS.filesMoved, { 'cds.store': 's3' });
    else await markForDeletion(this.db, object_key);
    return isMoved;
  }

  private async *read(shared_value_id: string): AsyncIterable<Uint8Array> {
    yield* await this.pieces.get(shared_value_id);
  }

  /** Whether it rests in the database now. */
  private async bringBack({ shared_value_id, company_user_id, ...object }: MisplacedFile & StoredObject): Promise<boolean> {
    const text = await this.files.read(object).catch(async (error: unknown) => {
      throw await this.files.noted(error, object);
    });
    const isMoved = await this.whileAt(['here', 'settling'], company_user_id, async (tx) => {
      if (!(await lockValue(tx, shared_value_id)) || !(await isStoredIn(tx, object.object_key))) return false;
      await new PostgresFiles(tx).putText(shared_value_id, text);
      await markForDeletion(tx, object.object_key);
      return true;
    });
    if (isMoved) count(METRICS.filesMoved, { 'cds.store': 'postgres' });
    return isMoved;
  }

  /** A transaction with the company's lock, as every write of its rows: nothing is written behind the copy of a move. */
  private whileAt(
    states: ('here' | 'settling')[],
    company_user_id: string,
    work: (tx: EntityManager) => Promise<boolean>,
  ): Promise<boolean> {
    return this.db.transaction(async (tx) => (await tryHoldHomes(tx, [company_user_id], states)).has(company_user_id) && work(tx));
  }
}
