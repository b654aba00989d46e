import { Controller } from '@nestjs/common';
import { approvals, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { Approvals } from './approvals.service.ts';

type Person = Caller<typeof approvals.listChallenges>;

/** Serves the phone of a person who approves logins. @spec D1-3.1 @gap D1-4.5 */
@Controller()
export class ApprovalsHttp {
  constructor(private readonly approvals: Approvals) {}

  @Serves(approvals.listChallenges)
  async list(_: Input<typeof approvals.listChallenges>, { person_user_id }: Person) {
    return { items: await this.approvals.cards(person_user_id), next_cursor: null };
  }

  @Serves(approvals.approveChallenge)
  approve({ params, body }: Input<typeof approvals.approveChallenge>, { person_user_id }: Person) {
    return this.approvals.answer(person_user_id, params.challengeId, { kind: 'approve', ...body });
  }

  @Serves(approvals.denyChallenge)
  deny({ params }: Input<typeof approvals.denyChallenge>, { person_user_id }: Person) {
    return this.approvals.answer(person_user_id, params.challengeId, { kind: 'deny' });
  }

  @Serves(approvals.listEnrolments)
  async listEnrolments(_: Input<typeof approvals.listEnrolments>, { person_user_id }: Person) {
    return { items: await this.approvals.listEnrolments(person_user_id), next_cursor: null };
  }

  @Serves(approvals.revokeEnrolment)
  revokeEnrolment({ params }: Input<typeof approvals.revokeEnrolment>, { person_user_id }: Person) {
    return this.approvals.revokeEnrolment(person_user_id, params.serviceId);
  }
}
