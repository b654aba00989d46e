import { Controller, Inject } from '@nestjs/common';
import { RUN_SUBJECTS } from '@cds/contracts';
import { Answers, type BusContext, type MessageOf } from '@cds/runtime/nest-bus';
import { HERE, Modes, type Here } from '../regions/index.ts';
import { CustomerRuns } from './customer-runs.service.ts';

/** Replicas share a queue, regions do not. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** What the regions of customers ask this one. @gap D2-4.4 */
@Controller()
export class RunsBus {
  constructor(
    private readonly runs: CustomerRuns,
    private readonly modes: Modes,
    @Inject(HERE) private readonly here: Here,
  ) {}

  @Answers(RUN_SUBJECTS.list, QUEUE)
  list(request: MessageOf<typeof RUN_SUBJECTS.list>) {
    this.modes.checkInOrder(this.region);
    return this.runs.list(request);
  }

  @Answers(RUN_SUBJECTS.read, QUEUE)
  read(request: MessageOf<typeof RUN_SUBJECTS.read>) {
    this.modes.checkInOrder(this.region);
    return this.runs.read(request);
  }

  @Answers(RUN_SUBJECTS.answer, QUEUE)
  answer(request: MessageOf<typeof RUN_SUBJECTS.answer>, { withinMs }: BusContext<typeof RUN_SUBJECTS.answer>) {
    this.modes.checkWritable(this.region);
    return this.runs.answer(request, withinMs);
  }

  @Answers(RUN_SUBJECTS.storeFile, QUEUE)
  storeFile(request: MessageOf<typeof RUN_SUBJECTS.storeFile>, { withinMs }: BusContext<typeof RUN_SUBJECTS.storeFile>) {
    this.modes.checkWritable(this.region);
    return this.runs.storeFile(request, withinMs);
  }

  @Answers(RUN_SUBJECTS.file, QUEUE)
  async file(request: MessageOf<typeof RUN_SUBJECTS.file>) {
    this.modes.checkInOrder(this.region);
    const { source_user_id } = await this.runs.file(request);
    return { source_user_id };
  }

  @Answers(RUN_SUBJECTS.piece, QUEUE)
  piece(request: MessageOf<typeof RUN_SUBJECTS.piece>) {
    this.modes.checkInOrder(this.region);
    return this.runs.piece(request);
  }

  @Answers(RUN_SUBJECTS.image, QUEUE)
  image(request: MessageOf<typeof RUN_SUBJECTS.image>) {
    this.modes.checkInOrder(this.region);
    return this.runs.imagePiece(request);
  }

  @Answers(RUN_SUBJECTS.pluginPass, QUEUE)
  pluginPass(request: MessageOf<typeof RUN_SUBJECTS.pluginPass>) {
    this.modes.checkInOrder(this.region);
    return this.runs.pass(request);
  }

  private get region(): string {
    if (this.here.base !== 'region') throw new Error('runs live in regions');
    return this.here.region;
  }
}
