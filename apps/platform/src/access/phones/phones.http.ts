import { Controller } from '@nestjs/common';
import { FRONT_DOOR, phones, Refusal, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { FrontDoorRequests, ProfilesStore } from '../../foundation/regions/index.ts';

/** The phones of the calling person. @spec D1-3.1 @gap D1-5 */
@Controller()
export class PhonesHttp {
  constructor(
    private readonly frontDoor: FrontDoorRequests,
    private readonly profiles: ProfilesStore,
  ) {}

  @Serves(phones.listPhones)
  async list(_: Input<typeof phones.listPhones>, { person_user_id: user_id }: Caller<typeof phones.listPhones>) {
    const { items } = await this.frontDoor.request(FRONT_DOOR.listPhones, {}, { user_id });
    return { items, next_cursor: null };
  }

  /** The keys are read first: a phone that gets none is not registered. */
  @Serves(phones.addPhone)
  async add({ body: { name } }: Input<typeof phones.addPhone>, { person_user_id: user_id, session_id }: Caller<typeof phones.addPhone>) {
    const keys = await this.keysOf(user_id);
    if (session_id === undefined) throw new Refusal('auth.token_invalid');
    return { device: await this.frontDoor.request(FRONT_DOOR.addPhone, {}, { user_id, session_id, name }), keys };
  }

  @Serves(phones.removePhone)
  remove({ params }: Input<typeof phones.removePhone>, { person_user_id: user_id }: Caller<typeof phones.removePhone>) {
    return this.frontDoor.request(FRONT_DOOR.removePhone, {}, { user_id, device_id: params.deviceId });
  }

  private async keysOf(user_id: string) {
    const profile = await this.profiles.find(user_id);
    if (!profile?.encrypted_private_key) throw new Refusal('service.unavailable').because('This account has no stored key yet');
    const { public_key, encrypted_private_key } = profile;
    return { public_key, encrypted_private_key };
  }
}
