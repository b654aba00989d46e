import { Controller } from '@nestjs/common';
import { account, FRONT_DOOR, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { RemotePasswordCheck } from '../../access/identity/index.ts';

type Contract = typeof account.migrateRegion;

/** Takes the request of a company at the portal to move to another region. @gap D1-5.6 */
@Controller()
export class MigrateRegionHttp {
  constructor(
    private readonly frontDoor: FrontDoorRequests,
    private readonly passwords: RemotePasswordCheck,
  ) {}

  /** Begins the move. The password is asked for once more, and a code where the second factor is on. */
  @Serves(account.migrateRegion)
  async migrate({ body: { region, ...secrets } }: Input<Contract>, { company_user_id: user_id }: Caller<Contract>, { address }: Call) {
    await this.passwords.check(user_id, secrets, address);
    return this.frontDoor.request(FRONT_DOOR.beginMove, {}, { user_id, to: region });
  }
}
