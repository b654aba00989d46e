import { Controller } from '@nestjs/common';
import { PROFILE_LANGUAGE, RUN_SUBJECTS } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { OwnMode } from '../../../foundation/regions/index.ts';
import { CustomerGeneration } from './customer-generation.service.ts';
import { ProfileLanguages } from './languages.service.ts';

/** Replicas share a queue, regions do not. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers other regions about the generation of documents: those of customers who generate, and those that choose rules by language. */
@Controller()
export class GenerationBus {
  constructor(
    private readonly generation: CustomerGeneration,
    private readonly languages: ProfileLanguages,
    private readonly mode: OwnMode,
  ) {}

  @Answers(RUN_SUBJECTS.storeInput, QUEUE)
  storeInput(request: MessageOf<typeof RUN_SUBJECTS.storeInput>, { withinMs }: BusContext<typeof RUN_SUBJECTS.storeInput>) {
    this.mode.checkWritable();
    return this.generation.storeInput(request, withinMs);
  }

  @Answers(RUN_SUBJECTS.generate, QUEUE)
  generate(request: MessageOf<typeof RUN_SUBJECTS.generate>, { withinMs }: BusContext<typeof RUN_SUBJECTS.generate>) {
    this.mode.checkWritable();
    return this.generation.generate(request, withinMs);
  }

  @Answers(PROFILE_LANGUAGE, QUEUE)
  async language({ user_id }: MessageOf<typeof PROFILE_LANGUAGE>) {
    this.mode.checkInOrder();
    return { language: await this.languages.here(user_id) };
  }
}
