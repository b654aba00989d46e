import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { HomeRegionGuard } from '../identity/index.ts';
import { Phones } from './phones.service.ts';

const QUEUE = { queue: 'front-door', fixed: ['region'] } as const;

/** Answers requests about phones, which the home region of a person makes for the person. */
@UseGuards(HomeRegionGuard)
@Controller()
export class PhonesBus {
  constructor(private readonly phones: Phones) {}

  @Answers(FRONT_DOOR.listPhones, QUEUE)
  async list({ user_id }: MessageOf<typeof FRONT_DOOR.listPhones>) {
    return { items: await this.phones.listOf(user_id) };
  }

  @Answers(FRONT_DOOR.addPhone, QUEUE)
  add({ user_id, session_id, name }: MessageOf<typeof FRONT_DOOR.addPhone>) {
    return this.phones.add(user_id, session_id, name);
  }

  @Answers(FRONT_DOOR.removePhone, QUEUE)
  async remove({ user_id, device_id }: MessageOf<typeof FRONT_DOOR.removePhone>) {
    await this.phones.remove(user_id, device_id);
    return null;
  }
}
