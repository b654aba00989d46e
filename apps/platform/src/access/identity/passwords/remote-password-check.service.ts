import { Injectable } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { FrontDoorRequests } from '../../../foundation/regions/index.ts';
import { sealToProcess, type SealedFor } from '../../../kit/secrets/process-seal.ts';
import { codeSeal, passwordSeal } from './password-seal.ts';

type Seal = (seal: SealedFor, secret: string) => string;

/** The password that a user gave once more, with a code of the second factor if the user gave one. */
interface PasswordAgain {
  password: string;
  code?: string | undefined;
}

/** Returns the member of a request that has the sealed code, if there is a code. */
export const sealedCode = (seal: Seal, user_id: string, code: string | undefined): { sealed_code?: string } =>
  code === undefined ? {} : { sealed_code: seal(codeSeal(user_id), code) };

/** Has the passwords that a region gets checked by the front door, which alone has the hashes and counts failures. */
@Injectable()
export class RemotePasswordCheck {
  constructor(private readonly frontDoor: FrontDoorRequests) {}

  /**
   * Refuses a wrong password, a missing or a wrong code where the second factor is on, and any while attempts have to wait. Both are sealed
   * to one process of the front door.
   */
  async check(user_id: string, { password, code }: PasswordAgain, address: string): Promise<void> {
    const { replica, seal } = await this.process();
    const sealed = seal(passwordSeal(user_id), password);
    await this.frontDoor.request(FRONT_DOOR.checkPassword, { replica }, { user_id, address, sealed, ...sealedCode(seal, user_id, code) });
  }

  /** Asks for a process of the front door. Returns it with what seals a secret to it: that process alone can read the secret. */
  async process() {
    const { replica, public_key } = await this.frontDoor.request(FRONT_DOOR.passwordKey, {}, {});
    return { replica, seal: (seal: SealedFor, secret: string) => sealToProcess(public_key, seal, secret) };
  }
}
