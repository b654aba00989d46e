import { Controller, Inject } from '@nestjs/common';
import { DELEGATION_SUBJECTS, Refusal } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { REGION_DB } from '../../kit/databases.ts';
import { homeStateOf, OwnMode } from '../../foundation/regions/index.ts';
import { namesHere } from './delegates.store.ts';
import { DelegatingCompanies } from './delegating-companies.service.ts';
import { HeldDelegations } from './held-delegations.service.ts';

/** Replicas share a queue, regions do not. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers requests of the regions of companies and of their delegates. @gap D1-5.8 */
@Controller()
export class DelegatesBus {
  constructor(
    private readonly held: HeldDelegations,
    private readonly companies: DelegatingCompanies,
    private readonly mode: OwnMode,
    @Inject(REGION_DB) private readonly db: Db,
  ) {}

  @Answers(DELEGATION_SUBJECTS.noteDelegating, QUEUE)
  note(request: MessageOf<typeof DELEGATION_SUBJECTS.noteDelegating>) {
    this.mode.checkWritable();
    return this.companies.note(request);
  }

  @Answers(DELEGATION_SUBJECTS.delegateNames, QUEUE)
  async names({ user_ids }: MessageOf<typeof DELEGATION_SUBJECTS.delegateNames>) {
    this.mode.checkInOrder();
    return { names: await namesHere(this.db, user_ids) };
  }

  @Answers(DELEGATION_SUBJECTS.list, QUEUE)
  async list(request: MessageOf<typeof DELEGATION_SUBJECTS.list>) {
    this.mode.checkInOrder();
    await this.checkElsewhere(request);
    return this.held.list(request);
  }

  @Answers(DELEGATION_SUBJECTS.readKey, QUEUE)
  async readKey(request: MessageOf<typeof DELEGATION_SUBJECTS.readKey>) {
    this.mode.checkWritable();
    await this.checkElsewhere(request);
    return this.held.readKey(request);
  }

  @Answers(DELEGATION_SUBJECTS.leave, QUEUE)
  async leave(request: MessageOf<typeof DELEGATION_SUBJECTS.leave>, { withinMs }: BusContext<typeof DELEGATION_SUBJECTS.leave>) {
    this.mode.checkWritable();
    await this.checkElsewhere(request);
    return this.held.leave(request, withinMs);
  }

  /**
   * Checks that a delegate is not at home here, since only the home region of a delegate asks. So a region in the wrong hands gets no key
   * that was handed to a user of this region.
   */
  private async checkElsewhere({ user_id }: { user_id: string }): Promise<void> {
    if ((await homeStateOf(this.db, user_id)) === 'here') throw new Refusal('service.unavailable');
  }
}
