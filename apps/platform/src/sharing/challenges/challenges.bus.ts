import { Controller } from '@nestjs/common';
import { REGION } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { OwnMode } from '../../foundation/regions/index.ts';
import { Enrolments } from './enrolments.service.ts';

/** Replicas share a queue, regions do not. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers requests of the front door. @gap D1-1 */
@Controller()
export class ChallengesBus {
  constructor(
    private readonly enrolments: Enrolments,
    private readonly mode: OwnMode,
  ) {}

  /** Enrols a person. The front door asks for it when the person has agreed. */
  @Answers(REGION.enrol, QUEUE)
  enrol(request: MessageOf<typeof REGION.enrol>) {
    this.mode.checkWritable();
    return this.enrolments.enrol(request);
  }

  /** Takes enrolments from the front door, which earlier versions kept there. */
  @Answers(REGION.takeEnrolments, QUEUE)
  takeEnrolments(request: MessageOf<typeof REGION.takeEnrolments>) {
    this.mode.checkWritable();
    return this.enrolments.take(request);
  }
}
