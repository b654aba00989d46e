import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR, Refusal } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { HomeRegionGuard, recoverySeal, SealedPasswords } from '../../access/identity/index.ts';
import { RecoveryJudge } from './recovery-judge.service.ts';

/** Answers requests that the home region of a company makes for the company. */
@UseGuards(HomeRegionGuard)
@Controller()
export class RecoveryBus {
  constructor(
    private readonly sealed: SealedPasswords,
    private readonly recoveries: RecoveryJudge,
  ) {}

  @Answers(FRONT_DOOR.sendRecoveryCode, { queue: 'front-door', fixed: ['region'] })
  sendCode({ user_id }: MessageOf<typeof FRONT_DOOR.sendRecoveryCode>) {
    return this.recoveries.sendCode(user_id);
  }

  @Answers(FRONT_DOOR.judgeRecovery, { fixed: ['region', 'replica'] })
  async judge({ sealed, sealed_code, ...request }: MessageOf<typeof FRONT_DOOR.judgeRecovery>) {
    const password = this.sealed.open(recoverySeal(request.user_id, request.act, request.object), sealed);
    if (password === undefined) throw new Refusal('request.invalid').because('sealed: must be sealed to this process');
    await this.recoveries.judge({ ...request, password, second_factor_code: this.sealed.openCode(request.user_id, sealed_code) });
    return null;
  }
}
