import { Controller } from '@nestjs/common';
import { OPERATOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { OperatorSessions } from './operator-sessions.service.ts';

const QUEUE = { queue: 'front-door' };

/** Ends sessions and disables accounts for an operator. */
@Controller()
export class OperatorSessionsBus {
  constructor(private readonly sessions: OperatorSessions) {}

  @Answers(OPERATOR.endSessions, QUEUE)
  endSessions({ user_id }: MessageOf<typeof OPERATOR.endSessions>) {
    return this.sessions.endAllOf(user_id);
  }

  @Answers(OPERATOR.setAccountDisabled, QUEUE)
  setAccountDisabled({ user_id, disabled }: MessageOf<typeof OPERATOR.setAccountDisabled>) {
    return this.sessions.setAccountDisabled(user_id, disabled);
  }
}
