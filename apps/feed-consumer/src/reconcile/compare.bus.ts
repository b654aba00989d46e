import { Controller, Inject } from '@nestjs/common';
import { COMPARE, Refusal } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { CHANNELS, type Channels } from '../config.ts';
import { ChannelsStore } from '../pull/channels.store.ts';

@Controller()
export class CompareBus {
  constructor(
    @Inject(CHANNELS) private readonly channels: Channels,
    private readonly store: ChannelsStore,
  ) {}

  @Answers(COMPARE, { queue: 'feed-consumer' })
  async compare(_: MessageOf<typeof COMPARE>, { values }: BusContext<typeof COMPARE>) {
    const channel = Object.hasOwn(this.channels, values.service) ? this.channels[values.service] : undefined;
    if (channel?.mode !== 'pull') throw new Refusal('request.not_found').because('The feed consumer drains no channel of this name');
    await this.store.compareAnew(values.service);
    return {};
  }
}
