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

  @Serves(accountSecurity.listTrustedDevices)
  listOfCompany(_: Input<typeof accountSecurity.listTrustedDevices>, company: Caller<typeof accountSecurity.listTrustedDevices>) {
    return this.list(company);
  }

  @Serves(personSecurity.listPersonTrustedBrowsers)
  listOfPerson(_: Input<typeof personSecurity.listPersonTrustedBrowsers>, person: Caller<typeof personSecurity.listPersonTrustedBrowsers>) {
    return this.list(person);
  }

  @Serves(accountSecurity.forgetTrustedDevice)
  forgetOfCompany(
    { params }: Input<typeof accountSecurity.forgetTrustedDevice>,
    company: Caller<typeof accountSecurity.forgetTrustedDevice>,
  ) {
    return this.forget(params.deviceId, company);
  }

  @Serves(personSecurity.forgetPersonTrustedBrowser)
  forgetOfPerson(
    { params }: Input<typeof personSecurity.forgetPersonTrustedBrowser>,
    person: Caller<typeof personSecurity.forgetPersonTrustedBrowser>,
  ) {
    return this.forget(params.deviceId, person);
  }

  private async list(user: User) {
    const { items } = await this.frontDoor.request(FRONT_DOOR.listTrustedBrowsers, {}, { user_id: userOf(user) });
    return { items, next_cursor: null };
  }

  private forget(device_id: string, user: User) {
    return this.frontDoor.request(FRONT_DOOR.forgetTrustedBrowser, {}, { user_id: userOf(user), device_id });
  }
}
