import { Controller, Inject } from '@nestjs/common';
import { MESSAGE_SUBJECTS } from '@cds/contracts';
import { Answers, type BusContext, type MessageOf } from '@cds/runtime/nest-bus';
import { HERE, Modes, type Here } from '../regions/index.ts';
import { CustomerMessages } from './customer-messages.service.ts';

/** Replicas share a queue, regions do not. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** What the regions of customers ask this one. @gap D1-1 */
@Controller()
export class MessagesBus {
  constructor(
    private readonly messages: CustomerMessages,
    private readonly modes: Modes,
    @Inject(HERE) private readonly here: Here,
  ) {}

  @Answers(MESSAGE_SUBJECTS.list, QUEUE)
  list(request: MessageOf<typeof MESSAGE_SUBJECTS.list>) {
    this.modes.checkInOrder(this.region);
    return this.messages.list(request);
  }

  @Answers(MESSAGE_SUBJECTS.unread, QUEUE)
  unread(request: MessageOf<typeof MESSAGE_SUBJECTS.unread>) {
    this.modes.checkInOrder(this.region);
    return this.messages.unread(request);
  }

  @Answers(MESSAGE_SUBJECTS.write, QUEUE)
  write(request: MessageOf<typeof MESSAGE_SUBJECTS.write>, { withinMs }: BusContext<typeof MESSAGE_SUBJECTS.write>) {
    this.modes.checkWritable(this.region);
    return this.messages.write(request, withinMs);
  }

  @Answers(MESSAGE_SUBJECTS.read, QUEUE)
  read(request: MessageOf<typeof MESSAGE_SUBJECTS.read>, { withinMs }: BusContext<typeof MESSAGE_SUBJECTS.read>) {
    this.modes.checkWritable(this.region);
    return this.messages.read(request, withinMs);
  }

  private get region(): string {
    if (this.here.base !== 'region') throw new Error('messages live in regions');
    return this.here.region;
  }
}
