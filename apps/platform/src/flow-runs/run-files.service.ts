import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { PHOTO_CHARS, Refusal, type Input, type runs, type Sealed } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { Db } from '@cds/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { holdCustomers, piecesOf } from '../connections/index.ts';
import { REGION_DB } from '../databases.ts';
import { Files, piecesIn } from '../files/index.ts';
import { PublishedFlows } from '../flows/index.ts';
import { newId } from '../ids.ts';
import { Home } from '../regions/index.ts';
import { FieldTypesView } from '../registry/index.ts';
import { holdService, type OwnService } from '../services/index.ts';
import { addFile, findHeldById, findPiece, type HeldFile, type RunFileRow } from './run-files.store.ts';
import { usersOf, type PlayedRun } from './run-row.ts';
import { questionsOf } from './turn-checks.ts';

type Staged = Input<typeof runs.stageRunFile>['body'];
type Uploaded = Input<typeof runs.uploadAnswerFile>['body'];

/** A photo under a seal: base64 of what is base64 already, and the members around it. @gap D2-4.2 */
const SEALED_PHOTO_CHARS = Math.ceil((PHOTO_CHARS * 4) / 3) + 64 * 1024;

/** Files of runs, each one party's copy: sealed when they come, and never looked into. @spec D2-4.1 @spec D2-4.2 */
@Injectable()
export class RunFiles {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly files: Files,
    private readonly flows: PublishedFlows,
    private readonly view: FieldTypesView,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Before a run starts: a copy of what a customer shared, sealed to one who will take part. @spec D2-4.1 */
  stage(own: OwnService, flow_id: string, { source_user_id, value }: Staged): Promise<{ file: string }> {
    return this.home.write(own.company_user_id, async (tx) => {
      await holdService(tx, own);
      await this.flows.exists(tx, own, flow_id);
      const [customer] = await holdCustomers(tx, own, { connection_ids: [], user_ids: [source_user_id] });
      if (!customer) throw new Refusal('flows.source_user_invalid');
      return this.add(tx, { ...own, flow_id, run_id: null, source_user_id, slug: null, for_user_id: null }, value);
    });
  }

  /** A copy of a file answer. The run is locked, and it is the turn of whoever uploads. @spec D2-4.2 */
  upload(tx: EntityManager, played: PlayedRun, { slug, for_user_id, value }: Uploaded): Promise<{ file: string }> {
    const question = questionsOf(played).find((one) => one.slug === slug);
    if (question?.kind !== 'field' || !this.view.types.isBinary(question.type))
      throw new Refusal('flows.answer_invalid').because(`slug: ${slug} is no file of the step ${played.run.current_node}`);
    if (!usersOf(played.parties).includes(for_user_id)) throw new Refusal('flows.answer_party_invalid');
    if (value.length > this.mostChars(question.type)) throw new Refusal('flows.answer_file_too_large');
    const { company_user_id, service_id, flow_id, run_id } = played.run;
    return this.add(tx, { company_user_id, service_id, flow_id, run_id, source_user_id: null, slug, for_user_id }, value);
  }

  /** The wrapper that somebody holds. What is stored elsewhere and cannot be read now is refused. */
  async textOf(db: Db, file_id: string): Promise<string> {
    const file = await findHeldById(db, file_id);
    if (!file) throw new Refusal('flows.file_not_found');
    return this.text(file);
  }

  async read(file: HeldFile): Promise<{ encrypted: true; value: Sealed }> {
    return { encrypted: true, value: (await this.text(file)) as Sealed };
  }

  /** A piece, counted from 1, for another region that asks for one after the other. */
  async piece({ file_id, pieces, object }: HeldFile, position: number): Promise<{ piece: string | null; pieces: number }> {
    if (!object) return { piece: (await findPiece(this.db, file_id, position)) ?? null, pieces };
    const piece = await this.refusable(object, () => this.files.piece(object, position));
    return { piece: piece?.toString() ?? null, pieces: piecesIn(object) };
  }

  private async text(file: HeldFile): Promise<string> {
    const { file_id, pieces, object } = file;
    if (object) return this.refusable(object, () => this.files.read(object));
    const parts: string[] = [];
    for (let position = 1; position <= pieces; position++) {
      const piece = await findPiece(this.db, file_id, position);
      if (piece === undefined) return this.moved(file);
      parts.push(piece);
    }
    return parts.join('');
  }

  /** It went to the object store between two reads, or is gone. */
  private async moved({ file_id }: HeldFile): Promise<string> {
    const { object } = (await findHeldById(this.db, file_id)) ?? {};
    if (!object) throw new Refusal('service.unavailable');
    return this.refusable(object, () => this.files.read(object));
  }

  private refusable<T>(object: NonNullable<HeldFile['object']>, work: () => Promise<T>): Promise<T> {
    return work().catch(async (error: unknown) => {
      throw this.files.refusal(await this.files.noted(error, object));
    });
  }

  private async add(
    tx: EntityManager,
    of: Omit<RunFileRow, 'file_id' | 'source_key' | 'served_sha256' | 'created_at'>,
    value: string,
  ): Promise<{ file: string }> {
    const file_id = newId('file');
    const served_sha256 = createHash('sha256')
      .update(JSON.stringify({ encrypted: true, value }))
      .digest('hex');
    await addFile(tx, { ...of, file_id, source_key: null, served_sha256, created_at: this.clock.now() }, piecesOf(value));
    return { file: file_id };
  }

  private mostChars(type: string): number {
    return this.view.types.resolve(type)?.lane === 'photo' ? SEALED_PHOTO_CHARS : Infinity;
  }
}
