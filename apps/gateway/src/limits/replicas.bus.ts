import { Controller } from '@nestjs/common';
import { GATEWAY_REPLICAS } from '@cds/contracts';
import { Answers } from '@cds/runtime/nest-bus';
import { randomUUID } from 'node:crypto';

/** Says that this replica is there. Without a queue: all of them answer. */
@Controller()
export class ReplicasBus {
  private readonly replica = randomUUID();

  @Answers(GATEWAY_REPLICAS)
  answer(): { replica: string } {
    return { replica: this.replica };
  }
}
