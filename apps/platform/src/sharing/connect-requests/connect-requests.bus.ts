import { Controller, Inject } from '@nestjs/common';
import { CONNECT_REQUEST_SUBJECTS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { ConnectRequestAnswers } from './answers.service.ts';
import { noteAsking } from './requests.store.ts';

/** Replicas share a queue, regions do not. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers requests of the regions of persons. @gap D1-1 */
@Controller()
export class ConnectRequestsBus {
  constructor(
    private readonly answers: ConnectRequestAnswers,
    private readonly mode: OwnMode,
    @Inject(REGION_DB) private readonly db: Db,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Answers(CONNECT_REQUEST_SUBJECTS.list, QUEUE)
  list(request: MessageOf<typeof CONNECT_REQUEST_SUBJECTS.list>) {
    this.mode.checkInOrder();
    return this.answers.list(request);
  }

  @Answers(CONNECT_REQUEST_SUBJECTS.code, QUEUE)
  code(request: MessageOf<typeof CONNECT_REQUEST_SUBJECTS.code>) {
    this.mode.checkInOrder();
    return this.answers.code(request);
  }

  @Answers(CONNECT_REQUEST_SUBJECTS.reject, QUEUE)
  reject(request: MessageOf<typeof CONNECT_REQUEST_SUBJECTS.reject>, { withinMs }: BusContext<typeof CONNECT_REQUEST_SUBJECTS.reject>) {
    this.mode.checkWritable();
    return this.answers.reject(request, withinMs);
  }

  /** Notes that the region of a company is about to ask a person who is at home here. */
  @Answers(CONNECT_REQUEST_SUBJECTS.noteAsking, QUEUE)
  async noteAsking({ person_user_id, company_user_id }: MessageOf<typeof CONNECT_REQUEST_SUBJECTS.noteAsking>) {
    this.mode.checkWritable();
    await noteAsking(this.db, person_user_id, company_user_id, this.clock.now());
    return null;
  }
}
