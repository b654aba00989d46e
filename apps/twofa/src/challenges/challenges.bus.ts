import { Controller } from '@nestjs/common';
import { RAISE_CHALLENGE, READ_CHALLENGE } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { ChallengesService } from './challenges.service.ts';

/** Answers the requests of a company's login systems. @spec D1-4.5 */
@Controller()
export class ChallengesBus {
  constructor(private readonly challenges: ChallengesService) {}

  @Answers(RAISE_CHALLENGE, { queue: 'twofa' })
  raise(challenge: MessageOf<typeof RAISE_CHALLENGE>, { values, user, withinMs }: BusContext<typeof RAISE_CHALLENGE>) {
    return this.challenges.raise({ service: values.service, user, withinMs }, challenge);
  }

  @Answers(READ_CHALLENGE, { queue: 'twofa' })
  read({ challenge_id, wait_seconds }: MessageOf<typeof READ_CHALLENGE>, { values, user, withinMs }: BusContext<typeof READ_CHALLENGE>) {
    return this.challenges.read({ service: values.service, user, withinMs }, challenge_id, wait_seconds);
  }
}
