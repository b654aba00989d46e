import { Injectable } from '@nestjs/common';
import { CHALLENGE_SUBJECTS, type Output, type PeerSubject, type approvals } from '@codase/contracts';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { forUser, onceEach, Peers, type PeerReply, type PeerRequest, type Search } from '../../foundation/peers/index.ts';
import { CONNECTION_SEARCH } from '../connections/index.ts';
import { storeUnreachable } from './store-unreachable.ts';

type Answer = MessageOf<typeof CHALLENGE_SUBJECTS.answer>['answer'];
type Answered = Output<typeof approvals.approveChallenge>;

const SEARCH: Search = {
  companies: CONNECTION_SEARCH.companies,
  notFound: ['twofa.challenge_not_found', 'twofa.not_enrolled'],
  unsure: ['twofa.unavailable'],
  instead: { 'region.rebase_required': 'twofa.unavailable', 'platform.out_of_order': 'twofa.unavailable' },
};

/**
 * What the phone of a person who is at home here shows and answers, wherever the company lives. This region keeps nothing of a challenge:
 * each challenge is read from its own row whenever it is shown. @gap D1-1 @gap D1-4.5
 */
@Injectable()
export class Approvals {
  constructor(private readonly peers: Peers) {}

  async cards(person_user_id: string): Promise<Output<typeof approvals.listChallenges>['items']> {
    const { cards } = CHALLENGE_SUBJECTS;
    const lists = await this.peers.gather(cards, { person_user_id }, SEARCH).catch((error: unknown) => {
      throw storeUnreachable(forUser(error, cards, SEARCH));
    });
    const all = lists.flatMap(({ reply }) => reply.cards);
    return onceEach(all, 'challenge_id', 'created_at');
  }

  answer(person_user_id: string, challenge_id: string, answer: Answer): Promise<Answered> {
    return this.find(CHALLENGE_SUBJECTS.answer, { person_user_id, challenge_id, answer });
  }

  async listEnrolments(person_user_id: string): Promise<Output<typeof approvals.listEnrolments>['items']> {
    const lists = await this.peers.gather(CHALLENGE_SUBJECTS.enrolments, { person_user_id }, SEARCH);
    const all = lists.flatMap(({ reply }) => reply.enrolments);
    return onceEach(all, 'service_id', 'enrolled_at');
  }

  async revokeEnrolment(person_user_id: string, service_id: string): Promise<void> {
    await this.find(CHALLENGE_SUBJECTS.revokeEnrolment, { person_user_id, service_id });
  }

  private find<S extends PeerSubject>(subject: S, request: PeerRequest<S>): Promise<PeerReply<S>> {
    return this.peers.search(subject, request, SEARCH, (region) =>
      this.peers.call(subject, region, request).catch((error: unknown) => {
        throw storeUnreachable(error);
      }),
    );
  }
}
