import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Input, type PluginPass, type Run, type runs, type RunSummary } from '@codase/contracts';
import type { StreamedString } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { pageOf, readCursor, type Page } from '../../kit/paging.ts';
import type { OwnService } from '../../services/services/index.ts';
import { finderOf, ownerOf, type OwnRun } from './find-run.store.ts';
import { presentSummary } from './present.ts';
import { RunReader } from './run-reader.service.ts';
import { RunEndings } from './run-endings.service.ts';
import { RunFiles } from './files/run-files.service.ts';
import { findStoredFile, listSources } from './files/run-files.store.ts';
import { RunLocks } from './run-locks.service.ts';
import { RunPasses } from './turns/run-passes.service.ts';
import type { RunRow } from './run-row.ts';
import { RunUploads } from './files/run-uploads.service.ts';
import { listAnswers, listOfService } from './runs.store.ts';
import type { NewRun } from './start/start-checks.ts';
import { RunStarter } from './start/run-starter.service.ts';
import { checkPartyTurn, referredFile } from './turns/turn-checks.ts';
import { RunTurns } from './turns/run-turns.service.ts';

type Query = Input<typeof runs.listRuns>['query'];
type Turn = Input<typeof runs.answerRun>['body'];
type Upload = Input<typeof runs.uploadAnswerFile>['body'];

/** The owner's operations on runs, called by the client of a service or by the automation of its company. @spec D2-4.4 */
@Injectable()
export class OwnerRuns {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly starting: RunStarter,
    private readonly reading: RunReader,
    private readonly turns: RunTurns,
    private readonly locking: RunLocks,
    private readonly endings: RunEndings,
    private readonly files: RunFiles,
    private readonly uploads: RunUploads,
    private readonly passes: RunPasses,
  ) {}

  stage(
    own: OwnService,
    flow_id: string,
    body: Input<typeof runs.stageRunFile>['body'],
    streamed?: StreamedString,
  ): Promise<{ file: string }> {
    return this.files.stage(own, flow_id, body, streamed);
  }

  start(own: OwnService, flow_id: string, given: NewRun): Promise<Run> {
    return this.starting.start(own, flow_id, given);
  }

  async list(own: OwnService, { flow_id }: { flow_id?: string }, { limit, cursor, status }: Query): Promise<Page<RunSummary>> {
    const rows = await listOfService(this.db, own, { flow_id, status }, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, limit, ({ created_at, run_id }) => ({ at: created_at, id: run_id }));
    return { items: items.map(presentSummary), next_cursor };
  }

  async read(wanted: OwnRun): Promise<Run> {
    return this.reading.forOwner(await this.find(wanted));
  }

  /** Takes the company's turn. Its answers are linked from no profile, so they have no verification. */
  async answer(wanted: OwnRun, { answers, ...onward }: Turn): Promise<Run> {
    const turn = { answers: answers.map((answer) => ({ ...answer, verification: {} })), ...onward };
    return this.turns.take(finderOf(wanted), ownerOf(wanted), turn);
  }

  upload(wanted: OwnRun, { value, ...answered }: Upload, streamed?: StreamedString): Promise<{ file: string }> {
    return this.uploads.with({ user_id: wanted.own.company_user_id, value, streamed }, (uploaded) =>
      this.locking.locked(finderOf(wanted), Infinity, (tx, locked) => {
        checkPartyTurn({ ...locked, by: ownerOf(wanted) });
        return this.files.add(tx, locked, answered, uploaded);
      }),
    );
  }

  /** Reads the company's own copy of a file answer. @spec D2-4.2 */
  async answerFile(wanted: OwnRun, slug: string) {
    const { run_id, company_user_id } = await this.find(wanted);
    const answers = await listAnswers(this.db, run_id, company_user_id);
    const reference = referredFile(answers.find((answer) => answer.slug === slug)?.value ?? '');
    return this.file(run_id, company_user_id, reference?._enc_file);
  }

  /** Reads the company's own copy of a connection source. @spec D2-4.2 */
  async sourceFile(wanted: OwnRun, source_key: string) {
    const { run_id, company_user_id } = await this.find(wanted);
    const sources = await listSources(this.db, run_id, company_user_id);
    return this.file(run_id, company_user_id, sources.find((source) => source.source_key === source_key)?.file_id);
  }

  /** Issues a pass for the plugins of the company's step. @spec D2-4.4 */
  async pass(wanted: OwnRun): Promise<PluginPass> {
    return this.passes.issue(await this.find(wanted), ownerOf(wanted));
  }

  async cancel(wanted: OwnRun): Promise<Run> {
    return this.reading.forOwner(await this.endings.cancel(finderOf(wanted)));
  }

  private async file(run_id: string, user_id: string, file_id: string | undefined) {
    const file = file_id === undefined ? undefined : await findStoredFile(this.db, run_id, user_id, file_id);
    if (!file) throw new Refusal('flows.file_not_found');
    return this.files.read(file);
  }

  private async find(wanted: OwnRun): Promise<RunRow> {
    const run = await finderOf(wanted).read(this.db);
    if (!run) throw new Refusal('flows.run_not_found');
    return run;
  }
}
