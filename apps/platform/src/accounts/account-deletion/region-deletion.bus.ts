import { Controller } from '@nestjs/common';
import { REGION } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { Modes } from '../../foundation/regions/index.ts';
import { RegionDeletion } from './region-deletion.service.ts';

@Controller()
export class RegionDeletionBus {
  constructor(
    private readonly deletion: RegionDeletion,
    private readonly modes: Modes,
  ) {}

  @Answers(REGION.deleteAccount, { queue: 'region-{region}', fixed: ['region'] })
  async delete(
    { user_id, deleted_at }: MessageOf<typeof REGION.deleteAccount>,
    { values: { region } }: BusContext<typeof REGION.deleteAccount>,
  ) {
    this.modes.checkWritable(region);
    await this.deletion.delete(user_id, new Date(deleted_at));
    return null;
  }
}
