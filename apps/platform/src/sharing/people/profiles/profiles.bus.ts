import { Controller } from '@nestjs/common';
import { REGION } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { Profiles } from './profiles.service.ts';

@Controller()
export class ProfilesBus {
  constructor(private readonly profiles: Profiles) {}

  @Answers(REGION.addProfile, { queue: 'region-{region}', fixed: ['region'] })
  async add(profile: MessageOf<typeof REGION.addProfile>, { values }: BusContext<typeof REGION.addProfile>) {
    await this.profiles.add(values.region, profile);
    return null;
  }
}
