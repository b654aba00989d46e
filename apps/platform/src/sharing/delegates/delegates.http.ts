import { Controller } from '@nestjs/common';
import { delegates as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { readCursor } from '../../kit/paging.ts';
import { Delegates } from './delegates.service.ts';

type Owner = Caller<typeof contracts.addDelegate>;

/** Serves a company that manages its delegates, at the portal and by automation. @spec D1-5.8 */
@Controller()
export class DelegatesHttp {
  constructor(private readonly delegates: Delegates) {}

  @Serves(contracts.listDelegates)
  list({ query: { limit, cursor } }: Input<typeof contracts.listDelegates>, { company_user_id }: Owner) {
    return this.delegates.list(company_user_id, { limit, after: readCursor(cursor) });
  }

  @Serves(contracts.addDelegate)
  add({ body }: Input<typeof contracts.addDelegate>, { company_user_id }: Owner) {
    return this.delegates.add(company_user_id, body.share_code);
  }

  @Serves(contracts.removeDelegate)
  remove({ params }: Input<typeof contracts.removeDelegate>, { company_user_id }: Owner) {
    return this.delegates.remove(company_user_id, params.delegateId);
  }

  @Serves(contracts.grantService)
  grant({ params, body }: Input<typeof contracts.grantService>, caller: Owner) {
    return this.delegates.grant(granted(params, caller), body.passphrase ?? null);
  }

  @Serves(contracts.revokeService)
  revoke({ params }: Input<typeof contracts.revokeService>, caller: Owner) {
    return this.delegates.revoke(granted(params, caller));
  }
}

const granted = ({ delegateId: delegate_id, serviceId: service_id }: { delegateId: string; serviceId: string }, caller: Owner) => ({
  company_user_id: caller.company_user_id,
  delegate_id,
  service_id,
});
