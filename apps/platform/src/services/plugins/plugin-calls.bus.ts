import { Controller } from '@nestjs/common';
import { REGION_PLUGINS } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { OwnMode } from '../../foundation/regions/index.ts';
import { PluginCalls } from './plugin-calls.service.ts';

/** Replicas share a queue, regions do not. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers the forwarder about plugins of companies of this region. @spec D2-4.5 */
@Controller()
export class PluginCallsBus {
  constructor(
    private readonly calls: PluginCalls,
    private readonly mode: OwnMode,
  ) {}

  @Answers(REGION_PLUGINS.begin, QUEUE)
  begin(request: MessageOf<typeof REGION_PLUGINS.begin>) {
    this.mode.checkInOrder();
    return this.calls.begin(request);
  }

  @Answers(REGION_PLUGINS.end, QUEUE)
  end({ call_id, error }: MessageOf<typeof REGION_PLUGINS.end>) {
    return this.calls.end(call_id, error);
  }

  @Answers(REGION_PLUGINS.describe, QUEUE)
  describe({ call_id, description }: MessageOf<typeof REGION_PLUGINS.describe>) {
    this.mode.checkWritable();
    return this.calls.describe(call_id, description);
  }
}
