import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { HomeRegionGuard } from '../../access/identity/index.ts';
import { Moves } from './moves.service.ts';

@UseGuards(HomeRegionGuard)
@Controller()
export class MovesBus {
  constructor(private readonly moves: Moves) {}

  @Answers(FRONT_DOOR.beginMove, { queue: 'front-door', fixed: ['region'] })
  begin({ user_id, to }: MessageOf<typeof FRONT_DOOR.beginMove>) {
    return this.moves.begin(user_id, to);
  }
}
