import { Controller } from '@nestjs/common';
import { twofa, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { ChallengePoller } from './challenge-poller.service.ts';
import { ChallengeRaiser } from './challenge-raiser.service.ts';

type Service = Caller<typeof twofa.raiseChallenge>;

/** Lets a service challenge the persons who are enrolled for it, and read the outcomes. @spec D1-4.4 @spec D1-4.5 */
@Controller()
export class ChallengesHttp {
  constructor(
    private readonly raising: ChallengeRaiser,
    private readonly polling: ChallengePoller,
  ) {}

  @Serves(twofa.raiseChallenge)
  raise({ body }: Input<typeof twofa.raiseChallenge>, caller: Service) {
    return this.raising.raise(caller, body);
  }

  @Serves(twofa.pollChallenge)
  poll({ params }: Input<typeof twofa.pollChallenge>, caller: Service) {
    return this.polling.poll(caller, params.challenge_id);
  }
}
