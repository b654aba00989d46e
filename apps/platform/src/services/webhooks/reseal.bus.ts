import { Controller } from '@nestjs/common';
import { OPERATOR } from '@codase/contracts';
import { Answers } from '@codase/runtime/nest-bus';
import { asOperator } from '../../foundation/audit/index.ts';
import { Reseal } from './reseal.service.ts';

/** Seals the stored secrets of a region anew for an operator, after the region's key for them was rotated. */
@Controller()
export class ResealBus {
  constructor(private readonly secrets: Reseal) {}

  @Answers(OPERATOR.resealSecrets, { queue: 'region-{region}', fixed: ['region'] })
  reseal() {
    return asOperator(() => this.secrets.run());
  }
}
