import { Controller, Inject } from '@nestjs/common';
import { accountSecurity, FRONT_DOOR, phones, Refusal, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { RemotePasswordCheck } from '../../access/identity/index.ts';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { countServices } from '../../services/services/index.ts';
import { userOf } from '../../access/tokens/index.ts';

type User = Caller<typeof accountSecurity.requestDeletion> | Caller<typeof phones.requestPersonDeletion>;

/** Lets a signed-in user delete the own account: a company at the portal, a person on the phone. @spec D1-5.8 @gap D1-5.8 */
@Controller()
export class AccountDeletionHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly frontDoor: FrontDoorRequests,
    private readonly passwords: RemotePasswordCheck,
  ) {}

  /** Checks the password once more, with a code where the second factor is on, and then requests the deletion at the front door. */
  @Serves(accountSecurity.requestDeletion, phones.requestPersonDeletion)
  async request({ body }: Input<typeof accountSecurity.requestDeletion>, user: User, { address }: Call) {
    await this.checkWithoutServices(user);
    const user_id = userOf(user);
    await this.passwords.check(user_id, body, address);
    return this.frontDoor.request(FRONT_DOOR.requestDeletion, {}, { user_id });
  }

  @Serves(accountSecurity.confirmDeletion, phones.confirmPersonDeletion)
  async confirm({ body }: Input<typeof accountSecurity.confirmDeletion>, user: User) {
    await this.checkWithoutServices(user);
    return this.frontDoor.request(FRONT_DOOR.confirmDeletion, {}, { user_id: userOf(user), code: body.code });
  }

  private async checkWithoutServices(user: User): Promise<void> {
    if (user.kind === 'person') return;
    if ((await countServices(this.db.manager, user.company_user_id)) > 0) throw new Refusal('account.in_use');
  }
}
