import { Controller } from '@nestjs/common';
import { delegations as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { userOf } from '../../access/tokens/index.ts';
import { Delegations } from './delegations.service.ts';

type Delegate = Caller<typeof contracts.listDelegations>;

/** Serves a user who may work for companies: a person on the phone, or another company at the portal. @gap D1-5.8 */
@Controller()
export class DelegationsHttp {
  constructor(private readonly delegations: Delegations) {}

  @Serves(contracts.listDelegations)
  async list(_: Input<typeof contracts.listDelegations>, caller: Delegate) {
    return { items: await this.delegations.list(userOf(caller)), next_cursor: null };
  }

  @Serves(contracts.readDelegatedKey)
  readKey({ params }: Input<typeof contracts.readDelegatedKey>, caller: Delegate) {
    const { delegationId: delegation_id, serviceId: service_id } = params;
    return this.delegations.readKey({ user_id: userOf(caller), delegation_id, service_id });
  }

  @Serves(contracts.acceptDelegation)
  accept({ params }: Input<typeof contracts.acceptDelegation>, caller: Delegate) {
    return this.delegations.accept(userOf(caller), params.delegationId);
  }

  @Serves(contracts.leaveDelegation)
  leave({ params }: Input<typeof contracts.leaveDelegation>, caller: Delegate) {
    return this.delegations.leave(userOf(caller), params.delegationId);
  }
}
