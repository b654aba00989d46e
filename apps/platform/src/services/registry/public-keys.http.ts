import { Controller } from '@nestjs/common';
import { FRONT_DOOR, Refusal, registry, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { FrontDoorRequests, ProfilesStore } from '../../foundation/regions/index.ts';

@Controller()
export class PublicKeysHttp {
  constructor(
    private readonly profiles: ProfilesStore,
    private readonly frontDoor: FrontDoorRequests,
  ) {}

  /**
   * Serves the public key of a person, or of a company as a customer of others: then it is the account key. Most owners live in the region
   * that is asked; for the others the front door is asked. @spec D1-4.4 @gap D1-4.4
   */
  @Serves(registry.readPublicKey)
  async readPublicKey({ params: { shareCode: share_code } }: Input<typeof registry.readPublicKey>) {
    const { public_key } =
      (await this.profiles.findByShareCode(share_code)) ?? (await this.frontDoor.request(FRONT_DOOR.whoHas, {}, { share_code }));
    if (!public_key) throw new Refusal('keys.not_found');
    return { share_code, public_key };
  }
}
