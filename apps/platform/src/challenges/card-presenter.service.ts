import { Injectable } from '@nestjs/common';
import { CHALLENGE_SUBJECTS } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import type { AppEventPresenter } from '../app-events/index.ts';
import { RegionRouter } from '../connections/index.ts';
import { ChallengeAnswers } from './answers.service.ts';

/** What phones show of challenges: read from the challenge's own row at the moment of sending, wherever the company lives. @spec D1-3.1 */
@Injectable()
export class CardPresenter implements AppEventPresenter {
  readonly presents: AppEventPresenter['presents'] = {
    challenge_raised: async ({ person_user_id, company_user_id, object_id: challenge_id }) => {
      const asked = { person_user_id, challenge_id };
      const { card } = await this.answers.card(asked);
      if (card) return card;
      const [region] = await this.router.othersWith([company_user_id]);
      return region === undefined ? null : (await this.bus.request(CHALLENGE_SUBJECTS.card, { region }, asked)).card;
    },
    challenge_closed: async ({ object_id: challenge_id }) => ({ challenge_id }),
  };

  constructor(
    private readonly bus: Bus,
    private readonly router: RegionRouter,
    private readonly answers: ChallengeAnswers,
  ) {}
}
