import { Controller } from '@nestjs/common';
import { connectRequests as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { Invitations } from './invitations.service.ts';

type Person = Caller<typeof contracts.listConnectRequests>;

/** Serves the phone of a person whom services ask to connect. @spec D1-6.1 @gap D1-1 */
@Controller()
export class InvitationsHttp {
  constructor(private readonly invitations: Invitations) {}

  @Serves(contracts.listConnectRequests)
  async list(_: Input<typeof contracts.listConnectRequests>, { person_user_id }: Person) {
    return { items: await this.invitations.list(person_user_id), next_cursor: null };
  }

  @Serves(contracts.acceptConnectRequest)
  accept({ params, body }: Input<typeof contracts.acceptConnectRequest>, { person_user_id }: Person) {
    return this.invitations.accept(person_user_id, params.requestId, body.values);
  }

  @Serves(contracts.rejectConnectRequest)
  reject({ params }: Input<typeof contracts.rejectConnectRequest>, { person_user_id }: Person) {
    return this.invitations.reject(person_user_id, params.requestId);
  }
}
