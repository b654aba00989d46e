import { Controller } from '@nestjs/common';
import { MESSAGE_SUBJECTS } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { OwnMode } from '../../foundation/regions/index.ts';
import { CustomerMessages } from './customer-messages.service.ts';

/** The replicas of a region share one queue; each region has its own. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers requests of the home regions of customers. @gap D1-1 */
@Controller()
export class MessagesBus {
  constructor(
    private readonly messages: CustomerMessages,
    private readonly mode: OwnMode,
  ) {}

  @Answers(MESSAGE_SUBJECTS.list, QUEUE)
  list(request: MessageOf<typeof MESSAGE_SUBJECTS.list>) {
    this.mode.checkInOrder();
    return this.messages.list(request);
  }

  @Answers(MESSAGE_SUBJECTS.unread, QUEUE)
  unread(request: MessageOf<typeof MESSAGE_SUBJECTS.unread>) {
    this.mode.checkInOrder();
    return this.messages.unread(request);
  }

  @Answers(MESSAGE_SUBJECTS.write, QUEUE)
  write(request: MessageOf<typeof MESSAGE_SUBJECTS.write>, { withinMs }: BusContext<typeof MESSAGE_SUBJECTS.write>) {
    this.mode.checkWritable();
    return this.messages.write(request, withinMs);
  }

  @Answers(MESSAGE_SUBJECTS.read, QUEUE)
  read(request: MessageOf<typeof MESSAGE_SUBJECTS.read>, { withinMs }: BusContext<typeof MESSAGE_SUBJECTS.read>) {
    this.mode.checkWritable();
    return this.messages.read(request, withinMs);
  }
}
