import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal } from '@codase/contracts';
import { BASES, FrontDoorRequests, type Bases } from '../../foundation/regions/index.ts';
import type { SecretHashes } from './client-authenticator.service.ts';

/** Asks the front door, or sends the client there, because a region has no pepper. */
@Injectable()
export class RemoteSecretHashes implements SecretHashes {
  constructor(
    private readonly frontDoor: FrontDoorRequests,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  async provesOldForm(): Promise<never> {
    throw new Refusal('region.rebase_required', { api_url: this.bases.front_door_url });
  }

  async hashAnew(client_id: string, secret_digest: string): Promise<void> {
    await this.frontDoor.request(FRONT_DOOR.rehashSecret, {}, { client_id, secret_digest });
  }
}
