import { Controller } from '@nestjs/common';
import { REGION } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { WaitingSignIns } from './waiting-sign-ins.service.ts';

/** Answers the front door, where sign-ins with apps begin. */
@Controller()
export class WaitingSignInsBus {
  constructor(private readonly signIns: WaitingSignIns) {}

  @Answers(REGION.announceSignIn, { queue: 'region-{region}', fixed: ['region'] })
  async announce(signIn: MessageOf<typeof REGION.announceSignIn>) {
    await this.signIns.announce(signIn);
    return null;
  }
}
