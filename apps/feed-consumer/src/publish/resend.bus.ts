import { Controller } from '@nestjs/common';
import { RESEND } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { ResendService } from './resend.service.ts';

@Controller()
export class ResendBus {
  constructor(private readonly resending: ResendService) {}

  @Answers(RESEND, { queue: 'feed-consumer' })
  resend(wanted: MessageOf<typeof RESEND>, { values }: BusContext<typeof RESEND>) {
    return this.resending.resend(values.service, wanted);
  }
}
