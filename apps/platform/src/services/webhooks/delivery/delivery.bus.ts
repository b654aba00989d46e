import { Controller } from '@nestjs/common';
import { DELIVERY } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { DeliveryWorker } from './delivery.worker.ts';

@Controller()
export class DeliveryBus {
  constructor(private readonly delivery: DeliveryWorker) {}

  @Answers(DELIVERY.test, { queue: 'delivery-{region}', fixed: ['region'] })
  test({ webhook_id }: MessageOf<typeof DELIVERY.test>, { values }: BusContext<typeof DELIVERY.test>) {
    return this.delivery.test(values.region, webhook_id);
  }
}
