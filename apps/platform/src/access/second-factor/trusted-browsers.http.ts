import { Controller } from '@nestjs/common';
import { accountSecurity, FRONT_DOOR, personSecurity, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { userOf } from '../tokens/index.ts';

type User = Caller<typeof accountSecurity.listTrustedDevices> | Caller<typeof personSecurity.listPersonTrustedBrowsers>;

/** The browsers that a signed-in user trusts. The front door keeps them. @spec D1-5.8 @gap D1-5.8 */
@Controller()
export class TrustedBrowsersHttp {
  constructor(private readonly frontDoor: FrontDoorRequests) {}

  @Serves(accountSecurity.listTrustedDevices, personSecurity.listPersonTrustedBrowsers)
  async list(_: Input<typeof accountSecurity.listTrustedDevices>, user: User) {
    const { items } = await this.frontDoor.request(FRONT_DOOR.listTrustedBrowsers, {}, { user_id: userOf(user) });
    return { items, next_cursor: null };
  }

  @Serves(accountSecurity.forgetTrustedDevice, personSecurity.forgetPersonTrustedBrowser)
  forget({ params }: Input<typeof accountSecurity.forgetTrustedDevice>, user: User) {
    return this.frontDoor.request(FRONT_DOOR.forgetTrustedBrowser, {}, { user_id: userOf(user), device_id: params.deviceId });
  }
}
