import { Controller } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { KeyProofs } from './key-proofs.service.ts';
import { TransparencyLog } from './transparency-log.service.ts';

/** The transparency log of the front door, for regions that mirror its heads, and for the proofs of keys that it holds. */
@Controller()
export class FrontDoorLogBus {
  constructor(
    private readonly log: TransparencyLog,
    private readonly proofs: KeyProofs,
  ) {}

  @Answers(FRONT_DOOR.followLog, { queue: 'front-door', fixed: ['region'] })
  follow(kept: MessageOf<typeof FRONT_DOOR.followLog>) {
    return this.log.follow(kept);
  }

  @Answers(FRONT_DOOR.proveKey, { queue: 'front-door', fixed: ['region'] })
  prove({ key, seen }: MessageOf<typeof FRONT_DOOR.proveKey>) {
    return this.proofs.prove(key, seen);
  }
}
