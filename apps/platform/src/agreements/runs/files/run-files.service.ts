import { Inject, Injectable } from '@nestjs/common';
import { PHOTO_CHARS, Refusal, type Input, type runs, type RUN_CONTENT_SUBJECTS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { StreamedString } from '@codase/runtime/http';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import type { DataSource, EntityManager } from 'typeorm';
import { holdCustomers, type StoredFile } from '../../../sharing/connections/index.ts';
import { REGION_DB } from '../../../kit/databases.ts';
import { PublishedFlows } from '../../../services/flows/index.ts';
import { Home } from '../../../foundation/regions/index.ts';
import { FieldTypesView } from '../../../services/registry/index.ts';
import { holdService, type OwnService } from '../../../services/services/index.ts';
import { ContentHomes } from './content-homes.service.ts';
import { RunContents, takeContent } from './run-contents.store.ts';
import { addFile, listStoredFiles, type StoredRunFile } from './run-files.store.ts';
import { usersOf, type PlayedRun } from '../run-row.ts';
import { RunUploads, type ArrivedFile } from './run-uploads.service.ts';
import { questionsOf } from '../turns/turn-checks.ts';

type Staged = Input<typeof runs.stageRunFile>['body'];
type Answered = Pick<Input<typeof runs.uploadAnswerFile>['body'], 'slug' | 'for_user_id'>;
type StoredFilesSubject = typeof RUN_CONTENT_SUBJECTS.storedFiles;

/** A copy of a file answer that exists only until it is shared. */
export type CopiedFile = StoredFile & { remove(): Promise<void> };

/** The most characters of a sealed photo: the base64 of ciphertext of base64, and the members of the wrapper. @gap D2-4.2 */
const SEALED_PHOTO_CHARS = Math.ceil((PHOTO_CHARS * 4) / 3) + 64 * 1024;

/** Files of runs, each the copy of one party. They arrive sealed, and the platform never opens them. @spec D2-4.1 @spec D2-4.2 */
@Injectable()
export class RunFiles {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly uploads: RunUploads,
    private readonly homes: ContentHomes,
    private readonly contents: RunContents,
    private readonly flows: PublishedFlows,
    private readonly view: FieldTypesView,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Stages, before a run starts, a copy of a file that a customer shared, sealed to one user who will take part. Its content is stored in
   * the region of that customer before this region has a row for it (decision 90). @spec D2-4.1
   */
  stage(own: OwnService, flow_id: string, { source_user_id, value }: Staged, streamed?: StreamedString): Promise<{ file: string }> {
    const { company_user_id } = own;
    return this.uploads.with({ user_id: company_user_id, value, streamed }, async (uploaded) => {
      await this.home.write(company_user_id, (tx) => this.checkSource(tx, own, flow_id, source_user_id));
      await this.homes.give(uploaded, { user_id: source_user_id, company_user_id });
      const file_id = uploaded.owner_id;
      await this.home.write(company_user_id, async (tx) => {
        await this.checkSource(tx, own, flow_id, source_user_id);
        const unbound = { run_id: null, source_key: null, slug: null, for_user_id: null };
        await addFile(tx, { ...own, ...unbound, file_id, flow_id, source_user_id, created_at: this.clock.now() });
      });
      return { file: file_id };
    });
  }

  /** Refuses when the customer is not connected. A connected customer stays connected until the transaction ends. */
  private async checkSource(tx: EntityManager, own: OwnService, flow_id: string, source_user_id: string): Promise<void> {
    await holdService(tx, own);
    await this.flows.exists(tx, own, flow_id);
    const [customer] = await holdCustomers(tx, own, { connection_ids: [], user_ids: [source_user_id] });
    if (!customer) throw new Refusal('flows.source_user_invalid');
  }

  /** Adds a copy of a file answer. The run is locked, and it is the turn of the party that uploads. @spec D2-4.2 */
  async add(tx: EntityManager, played: PlayedRun, { slug, for_user_id }: Answered, uploaded: ArrivedFile): Promise<{ file: string }> {
    const question = questionsOf(played).find((one) => one.slug === slug);
    if (question?.kind !== 'field' || !this.view.types.isBinary(question.type))
      throw new Refusal('flows.answer_invalid').because(`slug: ${slug} is no file of the step ${played.run.current_node}`);
    if (!usersOf(played.parties).includes(for_user_id)) throw new Refusal('flows.answer_party_invalid');
    if (uploaded.chars > this.mostChars(question.type)) throw new Refusal('flows.answer_file_too_large');
    const { company_user_id, service_id, flow_id, run_id } = played.run;
    const file_id = uploaded.owner_id;
    const isTaken = await takeContent(tx, { ...uploaded, user_id: company_user_id, company_user_id, ask_at: null });
    if (!isTaken) throw new Refusal('service.unavailable');
    const of = { company_user_id, service_id, flow_id, run_id, source_user_id: null, source_key: null };
    await addFile(tx, { ...of, file_id, slug, for_user_id, created_at: this.clock.now() });
    return { file: file_id };
  }

  /** Streams the wrapper of a file. Refuses when it is stored elsewhere and cannot be read now. */
  read(file: Pick<StoredRunFile, 'file_id' | 'source_user_id'>) {
    return this.homes.read(file);
  }

  /** Copies a file answer, so that the copy can be shared. A copy that is not removed is deleted after an hour. */
  async copy(company_user_id: string, file_id: string): Promise<CopiedFile> {
    const content = await this.contents.taken(this.db, file_id);
    if (!content) throw new Refusal('flows.file_not_found');
    const { owner_id } = await this.homes.copy(content, company_user_id);
    return {
      file_sha256: content.served_sha256,
      copyTo: (tx, to, file) => this.contents.copyTo(tx, owner_id, to, file),
      remove: () => this.uploads.abandon({ owner_id }),
    };
  }

  /** Answers which of some files a company of this region still has, for a region where their contents rest. */
  async storedFiles({ company_user_id, files }: MessageOf<StoredFilesSubject>): Promise<ReplyOf<StoredFilesSubject>> {
    await this.home.check(company_user_id);
    return { held: await listStoredFiles(this.db, company_user_id, files) };
  }

  private mostChars(type: string): number {
    return this.view.types.resolve(type)?.lane === 'photo' ? SEALED_PHOTO_CHARS : Infinity;
  }
}
