import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { isWeakPassword } from '../sign-up/weak-password.ts';
import { HASH_COST } from './hash-cost.ts';
import { inHashingTurn } from './hashing-turns.ts';
import { hashPassword, type HashCost } from './password.ts';

/** Checks and hashes passwords that users choose, at sign-up and later. @gap D1-5 */
@Injectable()
export class NewPasswords {
  constructor(@Inject(HASH_COST) private readonly hashCost: HashCost) {}

  /** Refuses a password that is guessed early. `member` is the member of the request that has it. */
  async check(password: string, email: string, member: string): Promise<void> {
    if (await isWeakPassword(password, email))
      throw new Refusal('account.password_weak').because(
        `${member}: is known from breaches, or is your address: choose another, such as several random words`,
      );
  }

  /** Hashes a password when it is the turn of its owner. */
  hash(password: string, owner: string): Promise<string> {
    return inHashingTurn(owner, () => hashPassword(password, this.hashCost));
  }
}
