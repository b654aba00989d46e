import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { HomeRegionGuard } from '../../access/identity/index.ts';
import { AccountDeletion } from './account-deletion.service.ts';

const QUEUE = { queue: 'front-door', fixed: ['region'] } as const;

/** Answers requests that the home region of a user makes for the user. */
@UseGuards(HomeRegionGuard)
@Controller()
export class AccountDeletionBus {
  constructor(private readonly deletion: AccountDeletion) {}

  @Answers(FRONT_DOOR.requestDeletion, QUEUE)
  request({ user_id }: MessageOf<typeof FRONT_DOOR.requestDeletion>) {
    return this.deletion.request(user_id);
  }

  @Answers(FRONT_DOOR.confirmDeletion, QUEUE)
  async confirm({ user_id, code }: MessageOf<typeof FRONT_DOOR.confirmDeletion>) {
    await this.deletion.confirm(user_id, code);
    return null;
  }
}
