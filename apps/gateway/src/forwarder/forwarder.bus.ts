import { Controller } from '@nestjs/common';
import { CALL_FORWARDER } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { ForwarderService } from './forwarder.service.ts';

@Controller()
export class ForwarderBus {
  constructor(private readonly forwarder: ForwarderService) {}

  @Answers(CALL_FORWARDER, { queue: 'gateway' })
  call(message: MessageOf<typeof CALL_FORWARDER>, { values, user, withinMs }: BusContext<typeof CALL_FORWARDER>) {
    return this.forwarder.call(values.service, message, { by: user, withinMs });
  }
}
