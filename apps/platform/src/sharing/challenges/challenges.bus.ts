import { Controller } from '@nestjs/common';
import { CHALLENGE_SUBJECTS, REGION } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { OwnMode } from '../../foundation/regions/index.ts';
import { ChallengeAnswers } from './answers.service.ts';
import { Enrolments } from './enrolments.service.ts';

/** Replicas share a queue, regions do not. */
const QUEUE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** Answers requests of the regions of persons, and of the front door. @gap D1-1 */
@Controller()
export class ChallengesBus {
  constructor(
    private readonly answers: ChallengeAnswers,
    private readonly enrolments: Enrolments,
    private readonly mode: OwnMode,
  ) {}

  @Answers(CHALLENGE_SUBJECTS.cards, QUEUE)
  cards(request: MessageOf<typeof CHALLENGE_SUBJECTS.cards>) {
    this.mode.checkInOrder();
    return this.answers.cards(request);
  }

  @Answers(CHALLENGE_SUBJECTS.card, QUEUE)
  card(request: MessageOf<typeof CHALLENGE_SUBJECTS.card>) {
    this.mode.checkInOrder();
    return this.answers.card(request);
  }

  @Answers(CHALLENGE_SUBJECTS.answer, QUEUE)
  answer(request: MessageOf<typeof CHALLENGE_SUBJECTS.answer>, { withinMs }: BusContext<typeof CHALLENGE_SUBJECTS.answer>) {
    this.mode.checkWritable();
    return this.answers.answer(request, withinMs);
  }

  @Answers(CHALLENGE_SUBJECTS.enrolments, QUEUE)
  listEnrolments(request: MessageOf<typeof CHALLENGE_SUBJECTS.enrolments>) {
    this.mode.checkInOrder();
    return this.enrolments.list(request);
  }

  @Answers(CHALLENGE_SUBJECTS.revokeEnrolment, QUEUE)
  revokeEnrolment(request: MessageOf<typeof CHALLENGE_SUBJECTS.revokeEnrolment>) {
    this.mode.checkWritable();
    return this.enrolments.revoke(request);
  }

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
