import { Controller, Inject, UseGuards } from '@nestjs/common';
import { FRONT_DOOR, Refusal } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { HomeRegionGuard } from '../accounts/home-region-guard.service.ts';
import { AccountsStore } from '../accounts/accounts.store.ts';
import { PasswordCheck } from './password-check.service.ts';
import { passwordSeal } from './password-seal.ts';
import { SealedPasswords } from './sealed-passwords.service.ts';
import { SECOND_FACTOR_CODES, type SecondFactorCodes } from './second-factor-codes.hook.ts';

/** Checks passwords for regions, which get them from routes that ask for the password once more. */
@UseGuards(HomeRegionGuard)
@Controller()
export class PasswordsBus {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly accounts: AccountsStore,
    private readonly sealed: SealedPasswords,
    @Inject(SECOND_FACTOR_CODES) private readonly secondFactors: SecondFactorCodes,
  ) {}

  @Answers(FRONT_DOOR.passwordKey, { queue: 'front-door', fixed: ['region'] })
  passwordKey() {
    return this.sealed.process;
  }

  @Answers(FRONT_DOOR.checkPassword, { fixed: ['region', 'replica'] })
  async checkPassword({ user_id, address, sealed, sealed_code }: MessageOf<typeof FRONT_DOOR.checkPassword>) {
    const password = this.sealed.open(passwordSeal(user_id), sealed);
    const account = password === undefined ? undefined : await this.accounts.find(user_id);
    if (password === undefined || !account) throw new Refusal('request.invalid').because('sealed: must be sealed to this process');
    if (!(await this.passwords.check({ email: account.email, password, address }))) throw new Refusal('account.password_wrong');
    await this.secondFactors.requireCode({ user_id, address, code: this.sealed.openCode(user_id, sealed_code) });
    return null;
  }
}
