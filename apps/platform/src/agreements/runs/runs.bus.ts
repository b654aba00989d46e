import { Controller } from '@nestjs/common';
import { RUN_SUBJECTS } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { OwnMode } from '../../foundation/regions/index.ts';
import { CustomerRuns } from './customer/customer-runs.service.ts';

/** Replicas share a queue, regions do not. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers the regions of customers about runs that live here. @gap D2-4.4 */
@Controller()
export class RunsBus {
  constructor(
    private readonly runs: CustomerRuns,
    private readonly mode: OwnMode,
  ) {}

  @Answers(RUN_SUBJECTS.list, QUEUE)
  list(request: MessageOf<typeof RUN_SUBJECTS.list>) {
    this.mode.checkInOrder();
    return this.runs.list(request);
  }

  @Answers(RUN_SUBJECTS.read, QUEUE)
  read(request: MessageOf<typeof RUN_SUBJECTS.read>) {
    this.mode.checkInOrder();
    return this.runs.read(request);
  }

  @Answers(RUN_SUBJECTS.answer, QUEUE)
  answer(request: MessageOf<typeof RUN_SUBJECTS.answer>, { withinMs }: BusContext<typeof RUN_SUBJECTS.answer>) {
    this.mode.checkWritable();
    return this.runs.answer(request, withinMs);
  }

  @Answers(RUN_SUBJECTS.storeFile, QUEUE)
  storeFile(request: MessageOf<typeof RUN_SUBJECTS.storeFile>, { withinMs }: BusContext<typeof RUN_SUBJECTS.storeFile>) {
    this.mode.checkWritable();
    return this.runs.storeFile(request, withinMs);
  }

  @Answers(RUN_SUBJECTS.file, QUEUE)
  async file(request: MessageOf<typeof RUN_SUBJECTS.file>) {
    this.mode.checkInOrder();
    const { source_user_id } = await this.runs.file(request);
    return { source_user_id };
  }

  @Answers(RUN_SUBJECTS.piece, QUEUE)
  piece(request: MessageOf<typeof RUN_SUBJECTS.piece>) {
    this.mode.checkInOrder();
    return this.runs.piece(request);
  }

  @Answers(RUN_SUBJECTS.image, QUEUE)
  image(request: MessageOf<typeof RUN_SUBJECTS.image>) {
    this.mode.checkInOrder();
    return this.runs.imagePiece(request);
  }

  @Answers(RUN_SUBJECTS.pluginPass, QUEUE)
  pluginPass(request: MessageOf<typeof RUN_SUBJECTS.pluginPass>) {
    this.mode.checkInOrder();
    return this.runs.pass(request);
  }
}
