import { Inject, Injectable } from '@nestjs/common';
import {
  Refusal,
  RUN_SUBJECTS,
  type customerRuns,
  type CustomerRun,
  type Input,
  type PluginPass,
  type RawFile,
  type RunSummary,
  type SentTurn,
} from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import type { StreamedString } from '@codase/runtime/http';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import { readInMemory } from '../../../kit/answer-memory.service.ts';
import { listVerifications, movedMeanwhile, RegionRouter } from '../../../sharing/connections/index.ts';
import { REGION_DB } from '../../../kit/databases.ts';
import { pageOf, readCursor, type Page } from '../../../kit/paging.ts';
import { ContactFields, FieldTypesView } from '../../../services/registry/index.ts';
import { ContentHomes, NAMING_MS } from '../files/content-homes.service.ts';
import { CustomerRuns } from './customer-runs.service.ts';
import { askUntilAnswered } from '../turns/ask-until-answered.ts';
import { RunFiles } from '../files/run-files.service.ts';
import { RunUploads, type UploadedFile } from '../files/run-uploads.service.ts';
import { sendTurn } from '../turns/send-turn.ts';

type Asked = MessageOf<typeof RUN_SUBJECTS.read>;
type Query = Input<typeof customerRuns.listCustomerRuns>['query'];
type Turn = Input<typeof customerRuns.answerCustomerRun>['body'];
type Upload = Input<typeof customerRuns.uploadCustomerAnswerFile>['body'];

/**
 * The runs of customers (persons or companies) who are at home here, in whichever region the run's company lives. @spec D2-4.4 @gap D1-1
 */
@Injectable()
export class HeldRuns {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly bus: Bus,
    private readonly router: RegionRouter,
    private readonly runs: CustomerRuns,
    private readonly files: RunFiles,
    private readonly uploads: RunUploads,
    private readonly homes: ContentHomes,
    private readonly fields: ContactFields,
    private readonly view: FieldTypesView,
  ) {}

  async list(of: Omit<Asked, 'run_id'>, { limit, cursor, status }: Query): Promise<Page<RunSummary>> {
    const after = readCursor(cursor);
    const asked = { ...of, limit, after: after ? { at: after.at.toISOString(), id: after.id } : null, status: status ?? null };
    const { runs } = await this.reads(
      of,
      () => this.runs.list(asked),
      (region) => this.bus.request(RUN_SUBJECTS.list, { region }, asked),
    );
    const { items, next_cursor } = pageOf(runs, limit, ({ at, run }) => ({ at: new Date(at), id: run.id }));
    return { items: items.map(({ run }) => run), next_cursor };
  }

  read(asked: Asked): Promise<CustomerRun> {
    return this.reads(
      asked,
      () => this.runs.read(asked),
      (region) => this.bus.request(RUN_SUBJECTS.read, { region }, asked),
    );
  }

  async answer(asked: Asked, given: Turn): Promise<CustomerRun> {
    const turn = await this.sent(asked.user_id, given);
    if (turn.answers.some(({ source_field }) => source_field !== undefined)) await this.checkSources(asked, turn);
    return this.writes(
      asked,
      () => this.runs.answer({ ...asked, turn }),
      (region) =>
        sendTurn({
          user_id: asked.user_id,
          turn,
          send: (timeout) =>
            this.bus.request(RUN_SUBJECTS.answer, { region }, { ...asked, turn }, timeout === undefined ? {} : { timeout }),
          read: () => this.bus.request(RUN_SUBJECTS.read, { region }, asked),
        }),
    );
  }

  /** Stores the file here first, then sends it to the region of the run. */
  upload(asked: Asked, { value, ...answered }: Upload, streamed?: StreamedString): Promise<{ file: string }> {
    return this.uploads.with({ user_id: asked.user_id, value, streamed }, (uploaded) =>
      this.writes(
        asked,
        () => this.runs.upload(asked, answered, uploaded),
        (region) => this.uploadElsewhere(region, asked, answered, uploaded),
      ),
    );
  }

  /** Reads the run first, so that no file is sent to a region that does not have the run. */
  private async uploadElsewhere(region: string, asked: Asked, answered: Omit<Upload, 'value'>, uploaded: UploadedFile) {
    const { company_user_id } = await this.bus.request(RUN_SUBJECTS.read, { region }, asked);
    const content = await this.homes.send(region, uploaded, { user_id: company_user_id, company_user_id });
    const named = { ...asked, ...answered, content };
    const stored = await askUntilAnswered(() => this.bus.request(RUN_SUBJECTS.storeFile, { region }, named), NAMING_MS);
    await this.uploads.abandon(uploaded);
    return stored;
  }

  /**
   * Reads a file. A copy of a file that the customer shared rests here; a copy of an answer rests in the region of the run. @spec D2-4.1
   */
  async file(asked: Asked, file: string) {
    const wanted = { ...asked, file };
    const found = await this.reads<{ source_user_id: string | null; region?: string }>(
      asked,
      () => this.runs.file(wanted),
      async (region) => ({ ...(await this.bus.request(RUN_SUBJECTS.file, { region }, wanted)), region }),
    );
    const { source_user_id, region } = found;
    if (region === undefined || source_user_id !== null) return this.files.read({ file_id: file, source_user_id });
    return this.homes.readPieces((position) => this.bus.request(RUN_SUBJECTS.piece, { region }, { ...wanted, position }));
  }

  /** Reads an image in the region of the company, which published it. @gap D2-2.6 */
  image(asked: Asked, asset_key: string): Promise<RawFile> {
    const wanted = { ...asked, asset_key };
    return this.reads(
      asked,
      () => this.runs.image(wanted),
      async (region) => {
        const ask = (position: number) => this.bus.request(RUN_SUBJECTS.image, { region }, { ...wanted, position });
        const { content_type, pieces, piece } = await ask(1);
        return readInMemory(asked.user_id, pieces * piece.length, async () => {
          const parts = [Buffer.from(piece, 'base64')];
          for (let position = 2; position <= pieces; position++) parts.push(Buffer.from((await ask(position)).piece, 'base64'));
          return { content_type, bytes: Buffer.concat(parts) };
        });
      },
    );
  }

  /** Issues a pass, signed by the region of the run: the forwarder accepts the passes of every region. */
  pass(asked: Asked): Promise<PluginPass> {
    return this.reads(
      asked,
      () => this.runs.pass(asked),
      (region) => this.bus.request(RUN_SUBJECTS.pluginPass, { region }, asked),
    );
  }

  /** Adds the verification of the profile fields from which answers are linked: only the customer's home region knows it. @spec D2-2.2 */
  private async sent(user_id: string, { answers, ...onward }: Turn): Promise<SentTurn> {
    const fields = answers.flatMap(({ source_field }) => source_field ?? []);
    const known = fields.length > 0 ? await listVerifications(this.db, user_id, fields) : [];
    const verificationOf = (field: string) => {
      const source = known.find(({ slug }) => slug === field);
      if (!source) throw new Refusal('flows.answer_invalid').because(`source_field: you have no value of ${field}`);
      return source.verification;
    };
    return {
      answers: answers.map((answer) => ({
        ...answer,
        verification: answer.source_field === undefined ? {} : verificationOf(answer.source_field),
      })),
      ...onward,
    };
  }

  /**
   * Refuses an answer that is linked from a field of a type that its question does not take. Only this region knows the fields of the
   * customer, so it reads the run for its questions. Whether the turn is the customer's is checked with the turn. @spec D2-4.2
   */
  private async checkSources(asked: Asked, { answers }: SentTurn): Promise<void> {
    const [{ definition, current_node }, fields] = await Promise.all([this.read(asked), this.fields.of(asked.user_id)]);
    const questions = definition.nodes.find(({ key }) => key === current_node)?.elements ?? [];
    for (const { slug, source_field } of answers) {
      const question = questions.find((element) => element.kind === 'field' && element.slug === slug);
      if (source_field === undefined || question?.kind !== 'field') continue;
      const isTaken = fields.some((field) => field.slug === source_field && this.view.types.accepts(question.type, field.type));
      if (!isTaken)
        throw new Refusal('flows.answer_invalid').because(`${slug}: your field ${source_field} does not answer ${question.type}`);
    }
  }

  private reads<T>({ user_id }: Pick<Asked, 'user_id'>, here: () => Promise<T>, there: (region: string) => Promise<T>): Promise<T> {
    return this.router.hereOrElsewhere(user_id, here, there).catch((error: unknown) => {
      throw movedMeanwhile(error, 'service.unavailable');
    });
  }

  private writes<T>({ user_id }: Pick<Asked, 'user_id'>, here: () => Promise<T>, there: (region: string) => Promise<T>): Promise<T> {
    return this.router.hereOrElsewhere(user_id, here, there).catch((error: unknown) => {
      throw movedMeanwhile(error, 'db.writes_paused');
    });
  }
}
