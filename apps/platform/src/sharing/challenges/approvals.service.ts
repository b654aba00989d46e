import { Injectable } from '@nestjs/common';
import { CHALLENGE_SUBJECTS, Refusal, type Output, type approvals } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { RegionRouter } from '../connections/index.ts';
import { ChallengeAnswers } from './answers.service.ts';
import { Enrolments } from './enrolments.service.ts';
import { storeUnreachable } from './store-unreachable.ts';

type Answer = MessageOf<typeof CHALLENGE_SUBJECTS.answer>['answer'];
type Answered = Output<typeof approvals.approveChallenge>;

const SOUGHT = { notFound: ['twofa.challenge_not_found', 'twofa.not_enrolled'], unsure: ['twofa.unavailable'] } as const;

/**
 * What the phone of a person who is at home here shows and answers, wherever the company lives. This region keeps nothing of a challenge:
 * each challenge is read from its own row whenever it is shown. @gap D1-1 @gap D1-4.5
 */
@Injectable()
export class Approvals {
  constructor(
    private readonly bus: Bus,
    private readonly router: RegionRouter,
    private readonly answers: ChallengeAnswers,
    private readonly enrolments: Enrolments,
  ) {}

  async cards(person_user_id: string): Promise<Output<typeof approvals.listChallenges>['items']> {
    try {
      const request = { person_user_id };
      const others = await this.router.othersOf(person_user_id);
      const elsewhere = others.map((region) => this.bus.request(CHALLENGE_SUBJECTS.cards, { region }, request));
      const lists = await Promise.all([this.answers.cards(request), ...elsewhere]);
      return onceEach(
        lists.flatMap(({ cards }) => cards),
        ({ challenge_id }) => challenge_id,
        ({ created_at }) => created_at,
      );
    } catch (error) {
      throw storeUnreachable(asUnavailable(error));
    }
  }

  answer(person_user_id: string, challenge_id: string, answer: Answer): Promise<Answered> {
    const request = { person_user_id, challenge_id, answer };
    return this.hereOrElsewhere(
      person_user_id,
      () => this.answers.answer(request),
      (region) => this.bus.request(CHALLENGE_SUBJECTS.answer, { region }, request),
    );
  }

  async listEnrolments(person_user_id: string): Promise<Output<typeof approvals.listEnrolments>['items']> {
    const request = { person_user_id };
    const others = await this.router.othersOf(person_user_id);
    const elsewhere = others.map((region) => this.bus.request(CHALLENGE_SUBJECTS.enrolments, { region }, request));
    const lists = await Promise.all([this.enrolments.list(request), ...elsewhere]);
    return onceEach(
      lists.flatMap(({ enrolments }) => enrolments),
      ({ service_id }) => service_id,
      ({ enrolled_at }) => enrolled_at,
    );
  }

  async revokeEnrolment(person_user_id: string, service_id: string): Promise<void> {
    const request = { person_user_id, service_id };
    await this.hereOrElsewhere(
      person_user_id,
      () => this.enrolments.revoke(request),
      (region) => this.bus.request(CHALLENGE_SUBJECTS.revokeEnrolment, { region }, request),
    );
  }

  private hereOrElsewhere<T>(user_id: string, here: () => Promise<T>, there: (region: string) => Promise<T>): Promise<T> {
    return this.router
      .hereOrElsewhere(
        user_id,
        () => here().catch(unreachable),
        (region) => there(region).catch(unreachable),
        SOUGHT,
      )
      .catch((error: unknown) => {
        throw asUnavailable(error);
      });
  }
}

const unreachable = (error: unknown): never => {
  throw storeUnreachable(error);
};

/**
 * Turns a refusal about a region into `twofa.unavailable`: the person is at the right base, but the company moves or its region is out of
 * order.
 */
const asUnavailable = (error: unknown): unknown =>
  error instanceof Refusal && (error.key === 'region.rebase_required' || error.key === 'platform.out_of_order')
    ? new Refusal('twofa.unavailable')
    : error;

/** Returns each item once, the oldest first: while a company moves, both regions may return its items. */
function onceEach<T>(items: readonly T[], idOf: (item: T) => string, timeOf: (item: T) => string): T[] {
  const byId = new Map(items.map((item) => [idOf(item), item]));
  return [...byId.values()].toSorted((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1));
}
