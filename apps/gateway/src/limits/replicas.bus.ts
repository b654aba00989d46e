import { Controller } from '@nestjs/common';
import { GATEWAY_REPLICAS } from '@codase/contracts';
import { Answers } from '@codase/runtime/nest-bus';
import { randomUUID } from 'node:crypto';

/** Answers that this replica is there. There is no queue, so that all replicas answer. */
@Controller()
export class ReplicasBus {
  private readonly replica = randomUUID();

  @Answers(GATEWAY_REPLICAS)
  answer(): { replica: string } {
    return { replica: this.replica };
  }
}
