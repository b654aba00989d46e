import { Controller } from '@nestjs/common';
import { RESEND } from '@cds/contracts';
import { Answers, type BusContext, type MessageOf } from '@cds/runtime/nest-bus';
import { ResendService } from './resend.service.ts';

@Controller()
export class ResendBus {
  constructor(private readonly resending: ResendService) {}

  @Answers(RESEND, { queue: 'feed-consumer' })
  resend(wanted: MessageOf<typeof RESEND>, { values }: BusContext<typeof RESEND>) {
    return this.resending.resend(values.service, wanted);
  }
}
