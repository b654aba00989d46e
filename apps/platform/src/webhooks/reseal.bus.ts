import { Controller } from '@nestjs/common';
import { OPERATOR } from '@cds/contracts';
import { Answers } from '@cds/runtime/nest-bus';
import { asOperator } from '../audit/index.ts';
import { Reseal } from './reseal.service.ts';

/** What an operator asks of a region after its key for stored secrets was rotated. */
@Controller()
export class ResealBus {
  constructor(private readonly secrets: Reseal) {}

  @Answers(OPERATOR.resealSecrets, { queue: 'region-{region}', fixed: ['region'] })
  reseal() {
    return asOperator(() => this.secrets.run());
  }
}
