import { Controller } from '@nestjs/common';
import { REGION } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { CompanyRows } from './company-rows.store.ts';
import { MoveSource } from './move-source.service.ts';
import { MoveTarget } from './move-target.service.ts';

/** The replicas of a region share one queue; each region has its own. */
const HERE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Takes the steps of a move, as the front door requests them from this region. @gap D1-5.6 */
@Controller()
export class RegionMovesBus {
  constructor(
    private readonly source: MoveSource,
    private readonly target: MoveTarget,
    private readonly rows: CompanyRows,
  ) {}

  @Answers(REGION.beginLeaving, HERE)
  beginLeaving(move: MessageOf<typeof REGION.beginLeaving>) {
    return this.source.begin(move);
  }

  @Answers(REGION.settleLeaving, HERE)
  settleLeaving(move: MessageOf<typeof REGION.settleLeaving>) {
    return this.source.settle(move);
  }

  @Answers(REGION.handOver, HERE)
  handOver(move: MessageOf<typeof REGION.handOver>) {
    return this.source.handOver(move);
  }

  @Answers(REGION.finishLeaving, HERE)
  finishLeaving(move: MessageOf<typeof REGION.finishLeaving>) {
    return this.source.finish(move);
  }

  @Answers(REGION.stay, HERE)
  stay(move: MessageOf<typeof REGION.stay>) {
    return this.source.stay(move);
  }

  @Answers(REGION.beginArriving, HERE)
  beginArriving(move: MessageOf<typeof REGION.beginArriving>) {
    return this.target.begin(move);
  }

  @Answers(REGION.completeArriving, HERE)
  completeArriving(move: MessageOf<typeof REGION.completeArriving>) {
    return this.target.complete(move);
  }

  @Answers(REGION.finishArriving, HERE)
  finishArriving(move: MessageOf<typeof REGION.finishArriving>) {
    return this.target.finish(move);
  }

  @Answers(REGION.forgetArrival, HERE)
  forgetArrival(move: MessageOf<typeof REGION.forgetArrival>) {
    return this.target.forget(move);
  }

  @Answers(REGION.holdings, HERE)
  holdings({ user_id, table }: MessageOf<typeof REGION.holdings>) {
    return this.rows.holdings(user_id, table);
  }
}
