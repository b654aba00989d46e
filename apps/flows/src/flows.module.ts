import { Module } from '@nestjs/common';
import { TURN_EVENT } from '@codase/contracts';
import { makesConsumersOf } from '@codase/runtime/nest-bus';
import { DeadlinesWorker } from './deadlines/deadlines.worker.ts';
import { PluginQuestions } from './plugins/plugin-questions.service.ts';
import { GeneratingRuns } from './generation/generating-runs.service.ts';
import { GenerationService } from './generation/generation.service.ts';
import { EventsBus } from './runs/events.bus.ts';
import { FilePermits } from './runs/file-permits.service.ts';
import { CheckWorker } from './runs/check.worker.ts';
import { Platform } from './runs/platform.service.ts';
import { PollWorker } from './runs/poll.worker.ts';
import { SealingService } from './runs/sealing.service.ts';
import { SourceFilesService } from './starts/source-files.service.ts';
import { StartsBus } from './starts/starts.bus.ts';
import { StartsStore } from './starts/starts.store.ts';
import { AnswersService } from './turns/answers.service.ts';
import { RunsStore } from './turns/runs.store.ts';
import { TurnEventsStore } from './turns/turn-events.store.ts';
import { TurnsBus } from './turns/turns.bus.ts';
import { TurnsService } from './turns/turns.service.ts';

@Module({
  controllers: [TurnsBus, StartsBus, EventsBus],
  providers: [
    RunsStore,
    TurnEventsStore,
    TurnsService,
    Platform,
    SealingService,
    PluginQuestions,
    AnswersService,
    FilePermits,
    GenerationService,
    GeneratingRuns,
    CheckWorker,
    PollWorker,
    DeadlinesWorker,
    StartsStore,
    SourceFilesService,
    makesConsumersOf(TURN_EVENT.stream!),
  ],
})
export class FlowsModule {}
