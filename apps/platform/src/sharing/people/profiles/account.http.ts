import { Controller } from '@nestjs/common';
import { account, FRONT_DOOR, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { FrontDoorRequests, Home, ProfilesStore } from '../../../foundation/regions/index.ts';
import { userOf } from '../../../access/tokens/index.ts';
import { Profiles } from './profiles.service.ts';

/** The account behind the token, and what others see of it. @spec D1-5.8 */
@Controller()
export class AccountHttp {
  constructor(
    private readonly profiles: Profiles,
    private readonly store: ProfilesStore,
    private readonly home: Home,
    private readonly frontDoor: FrontDoorRequests,
  ) {}

  @Serves(account.readAccount)
  readAccount(_: Input<typeof account.readAccount>, caller: Caller<typeof account.readAccount>) {
    return this.frontDoor.request(FRONT_DOOR.accountOf, {}, { user_id: userOf(caller) });
  }

  @Serves(account.readProfile)
  readProfile(_: Input<typeof account.readProfile>, caller: Caller<typeof account.readProfile>) {
    return this.profiles.of(userOf(caller));
  }

  @Serves(account.changeProfile)
  async changeProfile({ body }: Input<typeof account.changeProfile>, caller: Caller<typeof account.changeProfile>) {
    const user_id = userOf(caller);
    return (await this.home.write(user_id, (tx) => this.store.rename(tx, user_id, body)))!;
  }
}
