import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { addressKey } from '@codase/runtime/http';
import { count } from '@codase/runtime/telemetry';
import { Audit } from '../../../foundation/audit/index.ts';
import { AccountsStore, type AccountRow } from '../accounts/accounts.store.ts';
import { METRICS } from '../metrics.ts';
import { tooManyFailures } from './failure-delay.ts';
import { HASH_COST } from './hash-cost.ts';
import { inHashingTurn } from './hashing-turns.ts';
import { accountKeyOf, PasswordAttemptsStore } from './password-attempts.store.ts';
import { passwordMatches, type HashCost } from './password.ts';

/** A password that was typed for an account, and the network address it came from. */
export interface PasswordAttempt {
  email: string;
  password: string;
  address: string;
}

/**
 * The one place where a password is checked. After failures the next attempt has to wait, longer each time. Failures of strangers count
 * together; failures from an address that has signed in before count on their own, so that many strangers do not lock the owner out. An
 * account that does not exist costs the same queries, counts and hashing as any other. @gap D1-8
 */
@Injectable()
export class PasswordCheck {
  constructor(
    private readonly accounts: AccountsStore,
    private readonly attempts: PasswordAttemptsStore,
    @Inject(HASH_COST) private readonly hashCost: HashCost,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly audit: Audit,
  ) {}

  /** Returns the account if this is its password; undefined for a wrong password or no account. Refuses while attempts have to wait. */
  check(attempt: PasswordAttempt): Promise<AccountRow | undefined> {
    const account_key = accountKeyOf(attempt.email);
    return inHashingTurn(account_key, () => this.judge(account_key, attempt));
  }

  /**
   * Notes the address of a sign-in that has given all that is asked for. A right password alone makes no address known: whoever has stolen
   * it and lacks the code of the second factor would get further guesses by each address.
   */
  signedIn({ email }: AccountRow, address: string): Promise<void> {
    return this.attempts.know(accountKeyOf(email), addressKey(address), this.clock.now());
  }

  private async judge(account_key: string, { email, password, address }: PasswordAttempt): Promise<AccountRow | undefined> {
    const from = addressKey(address);
    const now = this.clock.now();
    const source = await this.attempts.sourceOf(account_key, from, now);
    const waitMs = await this.attempts.begin(source, now);
    if (waitMs > 0) {
      this.audit.refused({ act: 'account.password_checked', outcome: 'rate_limit.exceeded', address });
      count(METRICS.passwordsDelayed);
      throw tooManyFailures('passwords', waitMs);
    }

    const account = await this.accounts.findByEmail(email);
    const isRight = await passwordMatches(password, account?.password_hash ?? null, this.hashCost);
    if (!isRight) {
      count(METRICS.passwordsWrong);
      const account_id = account?.user_id;
      this.audit.refused({ act: 'account.password_checked', outcome: 'account.password_wrong', account_id, address });
      return undefined;
    }
    await this.attempts.succeeded(source, now);
    return account;
  }
}
