import { Controller } from '@nestjs/common';
import { FRONT_DOOR, recovery, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { Recovery } from './recovery.service.ts';

type Portal = Caller<typeof recovery.setRecoveryKey>;
type Owner = Caller<typeof recovery.storeRecoveryCopy>;

/** The recovery key and the recovery copies of a company. @spec D1-5.1 @spec D1-5.8 @gap D1-5.1 */
@Controller()
export class RecoveryHttp {
  constructor(
    private readonly recovery: Recovery,
    private readonly frontDoor: FrontDoorRequests,
  ) {}

  @Serves(recovery.setRecoveryKey)
  setKey({ body }: Input<typeof recovery.setRecoveryKey>, { company_user_id }: Portal) {
    return this.recovery.setKey(company_user_id, body);
  }

  @Serves(recovery.readRecoveryKey)
  readKey(_: Input<typeof recovery.readRecoveryKey>, { company_user_id }: Owner) {
    return this.recovery.readKey(company_user_id);
  }

  @Serves(recovery.resetRecoveryKey)
  reset({ body }: Input<typeof recovery.resetRecoveryKey>, { company_user_id }: Portal, { address }: Call) {
    return this.recovery.reset(company_user_id, body, address);
  }

  @Serves(recovery.storeRecoveryCopy)
  store({ body }: Input<typeof recovery.storeRecoveryCopy>, caller: Owner) {
    return this.recovery.store(caller, body);
  }

  @Serves(recovery.listRecoveryCopies)
  list({ query }: Input<typeof recovery.listRecoveryCopies>, { company_user_id }: Owner) {
    return this.recovery.list(company_user_id, query);
  }

  @Serves(recovery.sendRecoveryCode)
  sendCode(_: Input<typeof recovery.sendRecoveryCode>, { company_user_id: user_id }: Portal) {
    return this.frontDoor.request(FRONT_DOOR.sendRecoveryCode, {}, { user_id });
  }

  @Serves(recovery.recoverSecret)
  recover({ params, body }: Input<typeof recovery.recoverSecret>, { company_user_id }: Portal, { address }: Call) {
    return this.recovery.recover(company_user_id, params.copyId, body, address);
  }
}
