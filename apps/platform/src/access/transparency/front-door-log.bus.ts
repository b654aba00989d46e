import { Controller } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { TransparencyLog } from './transparency-log.service.ts';

/** The transparency log of the front door, for regions that mirror its heads. */
@Controller()
export class FrontDoorLogBus {
  constructor(private readonly log: TransparencyLog) {}

  @Answers(FRONT_DOOR.followLog, { queue: 'front-door', fixed: ['region'] })
  follow(kept: MessageOf<typeof FRONT_DOOR.followLog>) {
    return this.log.follow(kept);
  }
}
