import { Controller } from '@nestjs/common';
import { FRONT_DOOR, Refusal, registry, type Input } from '@cds/contracts';
import { Serves } from '@cds/runtime/http';
import { FrontDoorRequests, ProfilesStore } from '../regions/index.ts';

@Controller()
export class PublicKeysHttp {
  constructor(
    private readonly profiles: ProfilesStore,
    private readonly frontDoor: FrontDoorRequests,
  ) {}

  /**
   * Of persons, and of companies as customers of others: then it is the key of the account. Most live where they are asked for; the front
   * door knows the others. @spec D1-4.4 @gap D1-4.4
   */
  @Serves(registry.readPublicKey)
  async readPublicKey({ params: { shareCode: share_code } }: Input<typeof registry.readPublicKey>) {
    const { public_key } =
      (await this.profiles.findByShareCode(share_code)) ?? (await this.frontDoor.request(FRONT_DOOR.whoHas, {}, { share_code }));
    if (!public_key) throw new Refusal('keys.not_found');
    return { share_code, public_key };
  }
}
