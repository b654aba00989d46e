import { Controller } from '@nestjs/common';
import { REGION } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { TransparencyLog } from './transparency-log.service.ts';

/** The transparency log of a region, for the front door, which mirrors its heads. */
@Controller()
export class RegionLogBus {
  constructor(private readonly log: TransparencyLog) {}

  @Answers(REGION.followRegionLog, { queue: 'region-{region}', fixed: ['region'] })
  follow(kept: MessageOf<typeof REGION.followRegionLog>) {
    return this.log.follow(kept);
  }
}
