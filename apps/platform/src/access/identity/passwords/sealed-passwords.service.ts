import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { newSealingKey, openAtProcess, type SealedFor } from '../../../kit/secrets/process-seal.ts';
import { codeSeal } from './password-seal.ts';

/** The name of this front door process, for requests that only this process can answer. */
export const REPLICA = Symbol('the name of this process');

/** Opens the passwords that regions seal to this process of the front door. Its key is stored nowhere, and ends with the process. */
@Injectable()
export class SealedPasswords {
  private readonly key = newSealingKey();

  constructor(@Inject(REPLICA) private readonly replica: string) {}

  /** The public key of this process, and the name under which it is asked. */
  get process() {
    return { replica: this.replica, public_key: this.key.public_key };
  }

  /** Returns the password; undefined when it was sealed to another process, for another use or for another user. */
  open(seal: SealedFor, sealed: string): string | undefined {
    return openAtProcess(this.key, seal, sealed);
  }

  /** Returns the code of the second factor that came with a password, if one came. */
  openCode(user_id: string, sealed_code: string | undefined): string | undefined {
    if (sealed_code === undefined) return undefined;
    const code = this.open(codeSeal(user_id), sealed_code);
    if (code === undefined) throw new Refusal('request.invalid').because('sealed_code: must be sealed to this process');
    return code;
  }
}
