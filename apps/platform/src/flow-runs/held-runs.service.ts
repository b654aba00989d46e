import { Inject, Injectable } from '@nestjs/common';
import {
  Refusal,
  RUN_SUBJECTS,
  type customerRuns,
  type CustomerRun,
  type Input,
  type PluginPass,
  type RunSummary,
  type Sealed,
  type SentTurn,
} from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import type { MessageOf } from '@cds/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import { ChunkedTransfer, listVerifications, movedMeanwhile, RegionRouter } from '../connections/index.ts';
import { REGION_DB } from '../databases.ts';
import { pageOf, readCursor, type Page } from '../paging.ts';
import { CustomerRuns } from './customer-runs.service.ts';
import { RunFiles } from './run-files.service.ts';

type Asked = MessageOf<typeof RUN_SUBJECTS.read>;
type Query = Input<typeof customerRuns.listCustomerRuns>['query'];
type Turn = Input<typeof customerRuns.answerCustomerRun>['body'];
type Upload = Input<typeof customerRuns.uploadCustomerAnswerFile>['body'];
type SealedFile = { encrypted: true; value: Sealed };

/** As long as a file may take to be stored there. */
const STORING = { timeout: 15_000 };

/** A customer at home: what a person or a company sees and does in runs, wherever the company lives. @spec D2-4.4 @gap D1-1 */
@Injectable()
export class HeldRuns {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly bus: Bus,
    private readonly router: RegionRouter,
    private readonly runs: CustomerRuns,
    private readonly files: RunFiles,
    private readonly chunked: ChunkedTransfer,
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
    return this.writes(
      asked,
      () => this.runs.answer({ ...asked, turn }),
      (region) => this.bus.request(RUN_SUBJECTS.answer, { region }, { ...asked, turn }),
    );
  }

  upload(asked: Asked, { slug, for_user_id, value }: Upload): Promise<{ file: string }> {
    return this.writes(
      asked,
      async () => {
        await this.runs.checkConnection(asked);
        return this.runs.upload(asked, slug, for_user_id, async () => value);
      },
      (region) => this.uploadElsewhere(region, asked, { slug, for_user_id, value }),
    );
  }

  /** The text goes ahead in chunks. A region that does not have the run is not sent one. */
  private async uploadElsewhere(region: string, asked: Asked, { slug, for_user_id, value }: Upload): Promise<{ file: string }> {
    await this.bus.request(RUN_SUBJECTS.read, { region }, asked);
    const sent = await this.chunked.deposit(region, value);
    return this.bus.request(RUN_SUBJECTS.storeFile, { region }, { ...asked, slug, for_user_id, ...sent }, STORING);
  }

  file(asked: Asked, file: string): Promise<SealedFile> {
    return this.reads(
      asked,
      async () => this.files.read(await this.runs.file({ ...asked, file })),
      (region) => this.fileElsewhere(region, { ...asked, file }),
    );
  }

  /** One piece after the other. What was moved meanwhile, to where it has another number of pieces, breaks off. */
  private async fileElsewhere(region: string, asked: Asked & { file: string }): Promise<SealedFile> {
    const parts: string[] = [];
    for (let [position, pieces] = [1, 1]; position <= pieces; position++) {
      const answer = await this.bus.request(RUN_SUBJECTS.piece, { region }, { ...asked, position });
      if (answer.piece === null || (position > 1 && answer.pieces !== pieces)) throw new Refusal('service.unavailable');
      pieces = answer.pieces;
      parts.push(answer.piece);
    }
    return { encrypted: true, value: parts.join('') as Sealed };
  }

  /** Signed where the run lives: the forwarder takes the passes of every region. */
  pass(asked: Asked): Promise<PluginPass> {
    return this.reads(
      asked,
      () => this.runs.pass(asked),
      (region) => this.bus.request(RUN_SUBJECTS.pluginPass, { region }, asked),
    );
  }

  /** The home of the customer knows what was verified of the fields that answers are linked from. @spec D2-2.2 */
  private async sent(user_id: string, { answers, ...onward }: Turn): Promise<SentTurn> {
    const known = await listVerifications(
      this.db,
      user_id,
      answers.flatMap(({ source_field }) => source_field ?? []),
    );
    const verificationOf = (field: string) => {
      const source = known.find(({ slug }) => slug === field);
      if (!source) throw new Refusal('flows.answer_invalid').because(`source_field: you have no value of ${field}`);
      return source.verification;
    };
    return {
      answers: answers.map(({ source_field, ...answer }) => ({
        ...answer,
        verification: source_field === undefined ? {} : verificationOf(source_field),
      })),
      ...onward,
    };
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
