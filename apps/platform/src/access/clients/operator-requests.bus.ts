import { Controller } from '@nestjs/common';
import { OPERATOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { asOperator } from '../../foundation/audit/index.ts';
import { OperatorRequests } from './operator-requests.service.ts';

const QUEUE = { queue: 'front-door' };

/** Answers requests about accounts and clients that only an operator may make. */
@Controller()
export class OperatorRequestsBus {
  constructor(private readonly requests: OperatorRequests) {}

  @Answers(OPERATOR.setLevel, QUEUE)
  async setLevel({ user_id, level }: MessageOf<typeof OPERATOR.setLevel>) {
    await asOperator(() => this.requests.setLevel(user_id, level));
    return null;
  }

  @Answers(OPERATOR.registerManaged, QUEUE)
  registerManaged(client: MessageOf<typeof OPERATOR.registerManaged>) {
    return asOperator(() => this.requests.registerManaged(client));
  }

  @Answers(OPERATOR.backfillPatterns, QUEUE)
  backfillPatterns() {
    return asOperator(() => this.requests.backfillPatterns());
  }

  @Answers(OPERATOR.secretsUnderOldPeppers, QUEUE)
  secretsUnderOldPeppers() {
    return asOperator(() => this.requests.secretsUnderOldPeppers());
  }

  @Answers(OPERATOR.setClientDisabled, QUEUE)
  async setClientDisabled({ client_id, disabled }: MessageOf<typeof OPERATOR.setClientDisabled>) {
    await this.requests.setClientDisabled(client_id, disabled);
    return null;
  }
}
