import { Controller, Inject } from '@nestjs/common';
import { CUSTOMER_FEED_SUBJECTS } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { HERE, Modes, type Here } from '../../foundation/regions/index.ts';
import { CustomerFeed } from './customer-feed.service.ts';

/** Takes events from other regions for the companies that are at home here. @gap D1-4.6 */
@Controller()
export class CustomerFeedBus {
  constructor(
    private readonly feed: CustomerFeed,
    private readonly modes: Modes,
    @Inject(HERE) private readonly here: Here,
  ) {}

  @Answers(CUSTOMER_FEED_SUBJECTS.store, { queue: 'region-{region}', fixed: ['region'] })
  store({ events }: MessageOf<typeof CUSTOMER_FEED_SUBJECTS.store>) {
    if (this.here.base === 'region') this.modes.checkWritable(this.here.region);
    return this.feed.store(events);
  }
}
