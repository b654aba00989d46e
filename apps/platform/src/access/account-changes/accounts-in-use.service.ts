import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import type { EntityManager } from 'typeorm';
import { AccountsStore, PasswordCheck, SECOND_FACTOR_CODES, type AccountRow, type SecondFactorCodes } from '../identity/index.ts';

/** The password that a signed-in user gave once more, and the network address it came from. Some calls have a code beside it. */
export interface Reauthentication {
  user_id: string;
  password: string;
  address: string;
  code?: string | undefined;
}

/** Finds the accounts whose users change something, and checks their passwords. */
@Injectable()
export class AccountsInUse {
  constructor(
    private readonly accounts: AccountsStore,
    private readonly passwords: PasswordCheck,
    @Inject(SECOND_FACTOR_CODES) private readonly secondFactors: SecondFactorCodes,
  ) {}

  /** Finds an account that can sign in. */
  async find(user_id: string): Promise<AccountRow> {
    return inUse(await this.accounts.find(user_id));
  }

  /** Locks an account that can sign in until the transaction ends, so that changes of it happen one at a time. */
  async lock(user_id: string, tx: EntityManager): Promise<AccountRow> {
    return inUse(await this.accounts.lock(user_id, tx));
  }

  /** Refuses a wrong password of an account, and any password while attempts have to wait. Returns the account as it was checked. */
  async check({ email }: AccountRow, { user_id, password, address }: Reauthentication): Promise<AccountRow> {
    const account = await this.passwords.check({ email, password, address });
    if (account?.user_id !== user_id) throw new Refusal('account.password_wrong');
    return account;
  }

  /**
   * Refuses a missing or a wrong code of an account whose second factor is on. The password is checked before, so that nobody without it
   * makes the owner wait, or learns whether the second factor is on. Returns whether a code was checked.
   */
  async requireCode({ user_id, address, code }: Reauthentication): Promise<boolean> {
    return this.secondFactors.requireCode({ user_id, address, code });
  }

  /** Locks an account, and refuses when its password is another one than the one that was checked. */
  async lockChecked({ user_id, password_hash }: AccountRow, tx: EntityManager): Promise<AccountRow> {
    const account = await this.lock(user_id, tx);
    if (account.password_hash !== password_hash) throw new Refusal('account.password_wrong');
    return account;
  }

  /** Does the same, and refuses when no code was checked because the second factor was off, and it was switched on since. */
  async lockWithCode(checked: AccountRow, isCodeChecked: boolean, tx: EntityManager): Promise<AccountRow> {
    const account = await this.lockChecked(checked, tx);
    await this.requireChecked(account, isCodeChecked, tx);
    return account;
  }

  /** Refuses when no code was checked, and the second factor of a locked account is on. */
  async requireChecked({ user_id }: AccountRow, isCodeChecked: boolean, tx: EntityManager): Promise<void> {
    if (!isCodeChecked && (await this.secondFactors.isOn(user_id, tx))) throw new Refusal('account.code_required', {});
  }
}

function inUse(account: AccountRow | undefined): AccountRow {
  if (!account || account.disabled_at !== null) throw new Refusal('auth.token_invalid');
  return account;
}
