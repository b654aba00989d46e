import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { HomeRegionGuard } from '../../access/identity/index.ts';
import { AppSignIns } from './app-sign-ins.service.ts';

const QUEUE = { queue: 'front-door', fixed: ['region'] } as const;

/** Answers requests of regions for the phones of their persons. */
@UseGuards(HomeRegionGuard)
@Controller()
export class AppSignInsBus {
  constructor(private readonly signIns: AppSignIns) {}

  @Answers(FRONT_DOOR.listSignIns, QUEUE)
  list({ user_id }: MessageOf<typeof FRONT_DOOR.listSignIns>) {
    return this.signIns.listWaiting(user_id);
  }

  @Answers(FRONT_DOOR.answerSignIn, QUEUE)
  async answer(answer: MessageOf<typeof FRONT_DOOR.answerSignIn>) {
    await this.signIns.answer(answer);
    return null;
  }
}
