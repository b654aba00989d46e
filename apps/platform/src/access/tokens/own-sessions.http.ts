import { Controller } from '@nestjs/common';
import { tokens, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { userOf } from './callers.ts';
import { LocalSessions } from './local-sessions.service.ts';

type User = Caller<typeof tokens.listSessions>;

/** The sessions of the calling user. @gap D1-4.1 */
@Controller()
export class OwnSessionsHttp {
  constructor(private readonly sessions: LocalSessions) {}

  @Serves(tokens.listSessions)
  async list(_: Input<typeof tokens.listSessions>, user: User) {
    return { items: await this.sessions.listOf(userOf(user)), next_cursor: null };
  }

  @Serves(tokens.endSession)
  async end({ params }: Input<typeof tokens.endSession>, user: User) {
    await this.sessions.endOwn(userOf(user), params.sessionId);
    return null;
  }

  @Serves(tokens.endAllSessions)
  async endAll(_: Input<typeof tokens.endAllSessions>, user: User) {
    await this.sessions.endAllOf(userOf(user));
    return null;
  }
}
