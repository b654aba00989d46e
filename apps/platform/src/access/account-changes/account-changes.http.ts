import { Controller } from '@nestjs/common';
import { accountSecurity, FRONT_DOOR, personSecurity, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { emailChangeSeal, passwordChangeSeal, RemotePasswordCheck } from '../identity/index.ts';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { userOf } from '../tokens/index.ts';

type User = Caller<typeof accountSecurity.changePassword> | Caller<typeof personSecurity.changePersonPassword>;

/** Lets a signed-in user, a company or a person, change the own password and e-mail address at the front door. @spec D1-5.8 @gap D1-5.8 */
@Controller()
export class AccountChangesHttp {
  constructor(
    private readonly frontDoor: FrontDoorRequests,
    private readonly passwords: RemotePasswordCheck,
  ) {}

  @Serves(accountSecurity.changePassword, personSecurity.changePersonPassword)
  async changePassword({ body }: Input<typeof accountSecurity.changePassword>, user: User, { address }: Call) {
    const user_id = userOf(user);
    const { replica, seal } = await this.passwords.process();
    const sealed = seal(passwordChangeSeal(user_id), JSON.stringify(body));
    const { session_id } = user;
    return this.frontDoor.request(
      FRONT_DOOR.changePassword,
      { replica },
      { user_id, address, sealed, ...(session_id !== undefined && { session_id }) },
    );
  }

  @Serves(accountSecurity.requestEmailChange, personSecurity.requestPersonEmailChange)
  async requestEmail({ body }: Input<typeof accountSecurity.requestEmailChange>, user: User, { address }: Call) {
    const { email, ...secrets } = body;
    const user_id = userOf(user);
    const { replica, seal } = await this.passwords.process();
    const sealed = seal(emailChangeSeal(user_id, email), JSON.stringify(secrets));
    return this.frontDoor.request(FRONT_DOOR.requestEmailChange, { replica }, { user_id, address, sealed, email });
  }

  @Serves(accountSecurity.confirmEmailChange, personSecurity.confirmPersonEmailChange)
  confirmEmail({ body }: Input<typeof accountSecurity.confirmEmailChange>, user: User) {
    return this.frontDoor.request(FRONT_DOOR.confirmEmailChange, {}, { user_id: userOf(user), code: body.code });
  }
}
