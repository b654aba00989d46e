import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { HomeRegionGuard } from './home-region-guard.service.ts';
import { Accounts } from './accounts.service.ts';

const QUEUE = { queue: 'front-door', fixed: ['region'] } as const;

/** Answers the requests of regions about accounts, at the front door. */
@Controller()
export class AccountsBus {
  constructor(private readonly accounts: Accounts) {}

  @Answers(FRONT_DOOR.accountOf, QUEUE)
  @UseGuards(HomeRegionGuard)
  accountOf({ user_id }: MessageOf<typeof FRONT_DOOR.accountOf>) {
    return this.accounts.accountOf(user_id);
  }

  @Answers(FRONT_DOOR.homeOf, QUEUE)
  async homeOf({ user_id }: MessageOf<typeof FRONT_DOOR.homeOf>) {
    return { region: (await this.accounts.regionOf(user_id)) ?? null };
  }

  @Answers(FRONT_DOOR.homesOf, QUEUE)
  async homesOf({ user_ids }: MessageOf<typeof FRONT_DOOR.homesOf>) {
    return { regions: await this.accounts.regionsOf(user_ids) };
  }

  @Answers(FRONT_DOOR.listLapsed, QUEUE)
  async listLapsed(
    { after, limit }: MessageOf<typeof FRONT_DOOR.listLapsed>,
    { values: { region } }: BusContext<typeof FRONT_DOOR.listLapsed>,
  ) {
    return { lapsed: await this.accounts.listLapsed(region, after, limit) };
  }

  @Answers(FRONT_DOOR.whoHas, QUEUE)
  whoHas({ share_code }: MessageOf<typeof FRONT_DOOR.whoHas>) {
    return this.accounts.whoHas(share_code);
  }
}
