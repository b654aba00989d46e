import { Injectable } from '@nestjs/common';
import { FRONT_DOOR } from '@cds/contracts';
import { FrontDoorRequests } from '../../regions/index.ts';
import { sealToProcess } from '../../process-seal.ts';
import { passwordSeal } from './password-seal.ts';

/** Has the passwords that a region gets checked by the front door, which alone has the hashes and counts failures. */
@Injectable()
export class RemotePasswordCheck {
  constructor(private readonly frontDoor: FrontDoorRequests) {}

  /**
   * Refuses a wrong password, and any password while attempts have to wait. The password is sent sealed to one process of the front door.
   */
  async check(user_id: string, password: string, address: string): Promise<void> {
    const { replica, public_key } = await this.frontDoor.request(FRONT_DOOR.passwordKey, {}, {});
    const sealed = sealToProcess(public_key, passwordSeal(user_id), password);
    await this.frontDoor.request(FRONT_DOOR.checkPassword, { replica }, { user_id, address, sealed });
  }
}
