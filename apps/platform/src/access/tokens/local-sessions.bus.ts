import { Controller } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { LocalSessions } from './local-sessions.service.ts';

/** Regions ask the front door to rotate a refresh token, as the sessions are kept there. */
@Controller()
export class LocalSessionsBus {
  constructor(private readonly sessions: LocalSessions) {}

  @Answers(FRONT_DOOR.rotateRefresh, { queue: 'front-door', fixed: ['region'] })
  rotate(rotation: MessageOf<typeof FRONT_DOOR.rotateRefresh>, { values: { region } }: BusContext<typeof FRONT_DOOR.rotateRefresh>) {
    return this.sessions.rotate({ ...rotation, region });
  }
}
