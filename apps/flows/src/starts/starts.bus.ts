import { Controller } from '@nestjs/common';
import { START_RUN } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { StartsService } from './starts.service.ts';

/** Answers requests of a company's own services to start runs. @spec D2-4.1 */
@Controller()
export class StartsBus {
  constructor(private readonly starts: StartsService) {}

  @Answers(START_RUN, { queue: 'flows' })
  start(run: MessageOf<typeof START_RUN>, { values, user, withinMs }: BusContext<typeof START_RUN>) {
    return this.starts.start({ service: values.service, user, withinMs }, run);
  }
}
