import { Controller } from '@nestjs/common';
import { OPERATOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { asOperator } from '../../foundation/audit/index.ts';
import { FactorReseal } from './factor-reseal.service.ts';
import { SecondFactorSetup } from './second-factor-setup.service.ts';

const QUEUE = { queue: 'front-door' };

/** Answers requests about second factors that only an operator may make. */
@Controller()
export class OperatorSecondFactorsBus {
  constructor(
    private readonly setup: SecondFactorSetup,
    private readonly secrets: FactorReseal,
  ) {}

  @Answers(OPERATOR.switchSecondFactorOff, QUEUE)
  async switchOff({ user_id }: MessageOf<typeof OPERATOR.switchSecondFactorOff>) {
    return { was_on: await this.setup.endByOperator(user_id) };
  }

  @Answers(OPERATOR.resealFrontDoorSecrets, QUEUE)
  reseal() {
    return asOperator(() => this.secrets.run());
  }
}
