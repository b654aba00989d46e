import { Controller } from '@nestjs/common';
import { accountSecurity, FRONT_DOOR, personSecurity, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { emailChangeSeal, passwordChangeSeal, RemotePasswordCheck } from '../identity/index.ts';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { userOf } from '../tokens/index.ts';

type User = Caller<typeof accountSecurity.changePassword> | Caller<typeof personSecurity.changePersonPassword>;

/**
 * Lets a signed-in user change the own password and e-mail address: a company at the portal, a person on the phone. The front door does
 * both. @spec D1-5.8 @gap D1-5.8
 */
@Controller()
export class AccountChangesHttp {
  constructor(
    private readonly frontDoor: FrontDoorRequests,
    private readonly passwords: RemotePasswordCheck,
  ) {}

  @Serves(accountSecurity.changePassword)
  changePasswordOfCompany(
    { body }: Input<typeof accountSecurity.changePassword>,
    company: Caller<typeof accountSecurity.changePassword>,
    { address }: Call,
  ) {
    return this.changePassword(body, company, address);
  }

  @Serves(personSecurity.changePersonPassword)
  changePasswordOfPerson(
    { body }: Input<typeof personSecurity.changePersonPassword>,
    person: Caller<typeof personSecurity.changePersonPassword>,
    { address }: Call,
  ) {
    return this.changePassword(body, person, address);
  }

  @Serves(accountSecurity.requestEmailChange)
  requestEmailOfCompany(
    { body }: Input<typeof accountSecurity.requestEmailChange>,
    company: Caller<typeof accountSecurity.requestEmailChange>,
    { address }: Call,
  ) {
    return this.requestEmail(body, company, address);
  }

  @Serves(personSecurity.requestPersonEmailChange)
  requestEmailOfPerson(
    { body }: Input<typeof personSecurity.requestPersonEmailChange>,
    person: Caller<typeof personSecurity.requestPersonEmailChange>,
    { address }: Call,
  ) {
    return this.requestEmail(body, person, address);
  }

  @Serves(accountSecurity.confirmEmailChange)
  confirmEmailOfCompany(
    { body }: Input<typeof accountSecurity.confirmEmailChange>,
    company: Caller<typeof accountSecurity.confirmEmailChange>,
  ) {
    return this.confirmEmail(body.code, company);
  }

  @Serves(personSecurity.confirmPersonEmailChange)
  confirmEmailOfPerson(
    { body }: Input<typeof personSecurity.confirmPersonEmailChange>,
    person: Caller<typeof personSecurity.confirmPersonEmailChange>,
  ) {
    return this.confirmEmail(body.code, person);
  }

  private async changePassword(given: Input<typeof accountSecurity.changePassword>['body'], user: User, address: string) {
    const user_id = userOf(user);
    const { replica, seal } = await this.passwords.process();
    const sealed = seal(passwordChangeSeal(user_id), JSON.stringify(given));
    const { session_id } = user;
    return this.frontDoor.request(
      FRONT_DOOR.changePassword,
      { replica },
      { user_id, address, sealed, ...(session_id !== undefined && { session_id }) },
    );
  }

  private async requestEmail({ email, ...given }: Input<typeof accountSecurity.requestEmailChange>['body'], user: User, address: string) {
    const user_id = userOf(user);
    const { replica, seal } = await this.passwords.process();
    const sealed = seal(emailChangeSeal(user_id, email), JSON.stringify(given));
    return this.frontDoor.request(FRONT_DOOR.requestEmailChange, { replica }, { user_id, address, sealed, email });
  }

  private confirmEmail(code: string, user: User) {
    return this.frontDoor.request(FRONT_DOOR.confirmEmailChange, {}, { user_id: userOf(user), code });
  }
}
