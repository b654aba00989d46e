import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { addressKey } from '@codase/runtime/http';
import { count } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { AccountMailStore } from '../account-mail/index.ts';
import { Audit } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { AccountsStore, PasswordAttemptsStore, secondFactorKeyOf, tooManyFailures, type SecondFactorCodes } from '../identity/index.ts';
import { FactorSecrets, isAuthenticatorCode } from './factor-secrets.service.ts';
import { METRICS } from './metrics.ts';
import { SecondFactorsStore } from './second-factors.store.ts';
import type { SecondFactorEntity } from './second-factor.entity.ts';

/** A code that was typed for an account, and the network address it came from. */
export interface CodeAttempt {
  user_id: string;
  code: string;
  address: string;
}

/**
 * The one place where codes of second factors are checked. Wrong ones are counted like wrong passwords, but apart from them: a right
 * password takes no wrong code back, and makes no address known. So whoever has the password, and any number of addresses, gets a few
 * guesses a day. @gap D1-5.8
 */
@Injectable()
export class SecondFactorCheck implements SecondFactorCodes {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly factors: SecondFactorsStore,
    private readonly secrets: FactorSecrets,
    private readonly accounts: AccountsStore,
    private readonly attempts: PasswordAttemptsStore,
    private readonly mails: AccountMailStore,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Whether a code is asked for after the password of this account. */
  async isOn(user_id: string, tx?: Db): Promise<boolean> {
    return (await this.factors.findOn(user_id, tx)) !== undefined;
  }

  /**
   * Returns whether the code is right, and uses it up. From then on its address is known. Refuses while attempts have to wait. Nothing is
   * counted when there is nothing to guess: while the second factor is off, or while no key opens it.
   */
  async check(attempt: CodeAttempt): Promise<boolean> {
    const factor = await this.factors.findOn(attempt.user_id);
    if (!factor) return false;
    const isRight = await this.counted(factor, attempt, () => this.use(factor, attempt.code));
    if (isRight) await this.know(attempt);
    return isRight;
  }

  async requireCode({ user_id, address, code }: Omit<CodeAttempt, 'code'> & { code?: string | undefined }): Promise<boolean> {
    if (!(await this.isOn(user_id))) return false;
    if (code === undefined) throw new Refusal('account.code_required', {});
    if (!(await this.check({ user_id, address, code }))) throw codeInvalid();
    return true;
  }

  /** Notes the address of a right code, in the transaction of the caller if there is one. */
  know({ user_id, address }: Omit<CodeAttempt, 'code'>, tx?: Db): Promise<void> {
    return this.attempts.know(secondFactorKeyOf(user_id), addressKey(address), this.clock.now(), tx);
  }

  /** Returns the step of the first code of a new authenticator. It is counted, and makes no address known. */
  async stepOf(factor: SecondFactorEntity, attempt: CodeAttempt): Promise<number | undefined> {
    let step: number | undefined;
    await this.counted(factor, attempt, async () => {
      step = await this.secrets.stepOf(factor, attempt.code, this.clock.now());
      return step !== undefined;
    });
    return step;
  }

  /** Counts an attempt as failed before the code is looked at, so that several at once do not count as one. */
  private async counted(factor: SecondFactorEntity, { user_id, address }: CodeAttempt, judge: () => Promise<boolean>): Promise<boolean> {
    this.secrets.open(factor); // throws when no key opens it, before anything is counted
    const now = this.clock.now();
    const source = await this.attempts.sourceOf(secondFactorKeyOf(user_id), addressKey(address), now);
    const waitMs = await this.attempts.begin(source, now);
    if (waitMs > 0) {
      this.refused(user_id, address, 'rate_limit.exceeded');
      count(METRICS.codesDelayed);
      throw tooManyFailures('codes', waitMs);
    }
    const isRight = await judge();
    if (isRight) await this.attempts.succeeded(source, now);
    else {
      count(METRICS.codesWrong);
      this.refused(user_id, address, 'account.code_invalid');
    }
    return isRight;
  }

  private async use(factor: SecondFactorEntity, code: string): Promise<boolean> {
    if (!isAuthenticatorCode(code)) return this.useBackupCode(factor, code);
    const step = await this.secrets.stepOf(factor, code, this.clock.now());
    return step !== undefined && this.factors.useStep(factor.factor_id, step);
  }

  /** Uses a backup code up, and mails its owner of it, in one transaction. */
  private async useBackupCode(factor: SecondFactorEntity, code: string): Promise<boolean> {
    const code_hash = this.secrets.hashBackupCode(factor, code);
    const { user_id, factor_id } = factor;
    const isUsed = await this.db.transaction(async (tx) => {
      // The lock lets a deletion of the account, which deletes its mails, come before or after all of this.
      const account = await this.accounts.lock(user_id, tx);
      const left = account && (await this.factors.useBackupCode(tx, factor_id, code_hash));
      if (left === undefined) return false;
      await this.mails.notify(tx, account!.email, { kind: 'backup_code_used', facts: { left } }, this.clock.now());
      await this.audit.record(tx, { act: 'second_factor.backup_code_used', account_id: user_id, object: user_id });
      return true;
    });
    if (isUsed) count(METRICS.backupCodesUsed);
    return isUsed;
  }

  private refused(account_id: string, address: string, outcome: string): void {
    this.audit.refused({ act: 'second_factor.code_checked', outcome, account_id, address });
  }
}

export const codeInvalid = () =>
  new Refusal('account.code_invalid').because('The code is wrong or was used before: enter the one that the authenticator shows next');
