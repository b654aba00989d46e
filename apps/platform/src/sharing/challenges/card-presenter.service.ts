import { Injectable } from '@nestjs/common';
import { CHALLENGE_SUBJECTS } from '@codase/contracts';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import type { AppEventPresenter } from '../../foundation/app-events/index.ts';
import { Peers } from '../../foundation/peers/index.ts';
import { ChallengeAnswers } from './challenge-answers.service.ts';

type CardRequest = MessageOf<typeof CHALLENGE_SUBJECTS.card>;
type Card = ReplyOf<typeof CHALLENGE_SUBJECTS.card>['card'];

/** How many companies are remembered with their regions. When a company moves, its old region has no such card. */
const MAX_REGIONS = 10_000;

/** Presents what phones show of a challenge, read from its own row when it is sent, wherever the company lives. @spec D1-3.1 */
@Injectable()
export class CardPresenter implements AppEventPresenter {
  private readonly regions = new Map<string, string>();

  readonly presents: AppEventPresenter['presents'] = {
    challenge_raised: async ({ person_user_id, company_user_id, object_id: challenge_id }) => {
      const request = { person_user_id, challenge_id };
      return (await this.answers.card(request)).card ?? this.cardElsewhere(company_user_id, request);
    },
    challenge_closed: async ({ object_id: challenge_id }) => ({ challenge_id }),
  };

  constructor(
    private readonly peers: Peers,
    private readonly answers: ChallengeAnswers,
  ) {}

  /** A remembered region that has no such card may be the wrong one by now, so the front door is asked. */
  private async cardElsewhere(company_user_id: string, request: CardRequest): Promise<Card> {
    const remembered = this.regions.get(company_user_id);
    const card = remembered === undefined ? null : await this.cardIn(remembered, request);
    if (card) return card;
    this.regions.delete(company_user_id);
    const [region] = await this.peers.othersWith([company_user_id]);
    if (region === undefined) return null;
    this.remember(company_user_id, region);
    return region === remembered ? null : this.cardIn(region, request);
  }

  private async cardIn(region: string, request: CardRequest): Promise<Card> {
    return (await this.peers.call(CHALLENGE_SUBJECTS.card, region, request)).card;
  }

  /** Remembers the region of a company. The company that was remembered first is forgotten first. */
  private remember(company_user_id: string, region: string): void {
    if (this.regions.size >= MAX_REGIONS) this.regions.delete(this.regions.keys().next().value!);
    this.regions.set(company_user_id, region);
  }
}
