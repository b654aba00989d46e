import { Controller, Inject } from '@nestjs/common';
import { accountSecurity, FRONT_DOOR, phones, Refusal, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { RemotePasswordCheck } from '../../access/identity/index.ts';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { countServices } from '../../services/services/index.ts';

/** Lets a signed-in user delete the own account: a company at the portal, a person on the phone. @spec D1-5.8 @gap D1-5.8 */
@Controller()
export class AccountDeletionHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly frontDoor: FrontDoorRequests,
    private readonly passwords: RemotePasswordCheck,
  ) {}

  @Serves(accountSecurity.requestDeletion)
  async requestOfCompany(
    { body }: Input<typeof accountSecurity.requestDeletion>,
    { company_user_id: user_id }: Caller<typeof accountSecurity.requestDeletion>,
    { address }: Call,
  ) {
    await this.checkWithoutServices(user_id);
    return this.request(user_id, body.password, address);
  }

  @Serves(accountSecurity.confirmDeletion)
  async confirmOfCompany(
    { body }: Input<typeof accountSecurity.confirmDeletion>,
    { company_user_id: user_id }: Caller<typeof accountSecurity.confirmDeletion>,
  ) {
    await this.checkWithoutServices(user_id);
    return this.frontDoor.request(FRONT_DOOR.confirmDeletion, {}, { user_id, code: body.code });
  }

  @Serves(phones.requestPersonDeletion)
  requestOfPerson(
    { body }: Input<typeof phones.requestPersonDeletion>,
    { person_user_id }: Caller<typeof phones.requestPersonDeletion>,
    { address }: Call,
  ) {
    return this.request(person_user_id, body.password, address);
  }

  @Serves(phones.confirmPersonDeletion)
  confirmOfPerson(
    { body }: Input<typeof phones.confirmPersonDeletion>,
    { person_user_id: user_id }: Caller<typeof phones.confirmPersonDeletion>,
  ) {
    return this.frontDoor.request(FRONT_DOOR.confirmDeletion, {}, { user_id, code: body.code });
  }

  /** Checks the password once more, and then requests the deletion at the front door. */
  private async request(user_id: string, password: string, address: string) {
    await this.passwords.check(user_id, password, address);
    return this.frontDoor.request(FRONT_DOOR.requestDeletion, {}, { user_id });
  }

  private async checkWithoutServices(company_user_id: string): Promise<void> {
    if ((await countServices(this.db.manager, company_user_id)) > 0) throw new Refusal('account.in_use');
  }
}
