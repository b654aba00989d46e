import { Controller } from '@nestjs/common';
import { MARK_VERIFIED } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { asOperator } from '../../../foundation/audit/index.ts';
import { Modes } from '../../../foundation/regions/index.ts';
import { ContactData } from './contact-data.service.ts';

/** Marks a field as verified when an operator asks for it: the specification does not say who verifies fields. @gap D1-2.7 */
@Controller()
export class VerificationsBus {
  constructor(
    private readonly modes: Modes,
    private readonly data: ContactData,
  ) {}

  @Answers(MARK_VERIFIED, { queue: 'region-{region}', fixed: ['region'] })
  async mark({ user_id, field, verification }: MessageOf<typeof MARK_VERIFIED>, { values }: BusContext<typeof MARK_VERIFIED>) {
    this.modes.checkWritable(values.region);
    await asOperator(() => this.data.verify(user_id, field, verification));
    return null;
  }
}
