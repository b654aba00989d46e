import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { HomeRegionGuard } from '../identity/index.ts';
import { TrustedBrowsers } from './trusted-browsers.service.ts';

const QUEUE = { queue: 'front-door', fixed: ['region'] } as const;

/** Answers requests about trusted browsers, which the home region of a user makes for the user. */
@UseGuards(HomeRegionGuard)
@Controller()
export class TrustedBrowsersBus {
  constructor(private readonly browsers: TrustedBrowsers) {}

  @Answers(FRONT_DOOR.listTrustedBrowsers, QUEUE)
  async list({ user_id }: MessageOf<typeof FRONT_DOOR.listTrustedBrowsers>) {
    return { items: await this.browsers.listOf(user_id) };
  }

  @Answers(FRONT_DOOR.forgetTrustedBrowser, QUEUE)
  async forget({ user_id, device_id }: MessageOf<typeof FRONT_DOOR.forgetTrustedBrowser>) {
    await this.browsers.forget(user_id, device_id);
    return null;
  }
}
