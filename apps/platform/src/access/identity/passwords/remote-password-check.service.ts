import { Injectable } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { FrontDoorRequests } from '../../../foundation/regions/index.ts';
import { sealToProcess, type SealedFor } from '../../../kit/secrets/process-seal.ts';
import { passwordSeal } from './password-seal.ts';

/** Has the passwords that a region gets checked by the front door, which alone has the hashes and counts failures. */
@Injectable()
export class RemotePasswordCheck {
  constructor(private readonly frontDoor: FrontDoorRequests) {}

  /** Refuses a wrong password, and any while attempts have to wait. The password is sealed to one process of the front door. */
  async check(user_id: string, password: string, address: string): Promise<void> {
    const { replica, seal } = await this.process();
    await this.frontDoor.request(
      FRONT_DOOR.checkPassword,
      { replica },
      { user_id, address, sealed: seal(passwordSeal(user_id), password) },
    );
  }

  /** Asks for a process of the front door. Returns it with what seals a secret to it: that process alone can read the secret. */
  async process() {
    const { replica, public_key } = await this.frontDoor.request(FRONT_DOOR.passwordKey, {}, {});
    return { replica, seal: (seal: SealedFor, secret: string) => sealToProcess(public_key, seal, secret) };
  }
}
