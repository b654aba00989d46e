import { Module } from '@nestjs/common';
import { CHALLENGE_COMPLETED } from '@codase/contracts';
import { makesConsumersOf } from '@codase/runtime/nest-bus';
import { ChallengesBus } from './challenges/challenges.bus.ts';
import { ChallengesService } from './challenges/challenges.service.ts';
import { ChallengesStore } from './challenges/challenges.store.ts';
import { EventsBus } from './polling/events.bus.ts';
import { OutcomesService } from './polling/outcomes.service.ts';
import { PollWorker } from './polling/poll.worker.ts';
import { PublishWorker } from './publish/publish.worker.ts';

@Module({
  controllers: [ChallengesBus, EventsBus],
  providers: [
    ChallengesStore,
    ChallengesService,
    OutcomesService,
    PollWorker,
    PublishWorker,
    makesConsumersOf(CHALLENGE_COMPLETED.stream!),
  ],
})
export class TwofaModule {}
