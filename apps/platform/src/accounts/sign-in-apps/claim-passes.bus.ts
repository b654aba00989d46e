import { Controller } from '@nestjs/common';
import { SIGN_IN_SUBJECTS } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { OwnMode } from '../../foundation/regions/index.ts';
import { ClaimPasses } from './claim-passes.service.ts';

/** Answers the regions of persons who sign in with an app of a company of this region. */
@Controller()
export class ClaimPassesBus {
  constructor(
    private readonly passes: ClaimPasses,
    private readonly mode: OwnMode,
  ) {}

  @Answers(SIGN_IN_SUBJECTS.claimPass, { queue: 'region-{region}', fixed: ['region'] })
  issue(asked: MessageOf<typeof SIGN_IN_SUBJECTS.claimPass>) {
    this.mode.checkInOrder();
    return this.passes.issueHere(asked);
  }
}
