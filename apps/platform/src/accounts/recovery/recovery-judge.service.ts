import { Inject, Injectable } from '@nestjs/common';
import { RECOVERY_CODE_MINUTES, Refusal, type AuditAct, type RecoveryAct } from '@codase/contracts';
import { equalSecrets } from '@codase/crypto';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { AccountsInUse, type Reauthentication } from '../../access/account-changes/index.ts';
import {
  AccountMailStore,
  hashMailedCode,
  MAX_WRONG_CODES,
  newMailedCode,
  tooManyMails,
  type AccountMail,
} from '../../access/account-mail/index.ts';
import { Audit } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { AccountRow } from '../../access/identity/index.ts';
import { METRICS } from './metrics.ts';
import { RecoveryCodesStore } from './recovery-codes.store.ts';

/** How many mails with codes one account gets in a day. @gap D1-5.1 */
const MAX_MAILS = 10;
const MINUTE_MS = 60_000;

const AUDITED: Readonly<Record<RecoveryAct, AuditAct>> = { recover: 'account.secret_recovered', reset: 'account.recovery_reset' };
const NOTICES: Readonly<Record<RecoveryAct, AccountMail>> = {
  recover: { kind: 'secrets_recovered', facts: {} },
  reset: { kind: 'recovery_reset', facts: {} },
};

/** An act, and what proves that the owner requests it. */
interface RecoveryRequest extends Omit<Reauthentication, 'code'> {
  /** The code that was mailed. */
  code: string;
  second_factor_code: string | undefined;
  act: RecoveryAct;
  object: string;
}

/**
 * Judges, in one process of the front door, whether recovery copies are given back: by the password and by a code that was mailed to the
 * confirmed address. A code is valid for some minutes and for every copy of the account, because a company that lost one secret has often
 * lost them all, and an answer that was lost can be requested again. @spec D1-5.1 @gap D1-5.1
 */
@Injectable()
export class RecoveryJudge {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly inUse: AccountsInUse,
    private readonly codes: RecoveryCodesStore,
    private readonly mails: AccountMailStore,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Mails a code. It opens nothing without the password. */
  async sendCode(user_id: string): Promise<{ expires_at: string }> {
    const now = this.clock.now();
    const expires_at = new Date(now.getTime() + RECOVERY_CODE_MINUTES * MINUTE_MS);
    const code = newMailedCode();
    await this.db.transaction(async (tx) => {
      const { email } = await this.inUse.lock(user_id, tx);
      await this.codes.end(tx, user_id);
      const mail_id = await this.mails.write(tx, email, { kind: 'recovery_code', facts: { code } }, now, expires_at);
      const added = { user_id, code_hash: hashMailedCode(user_id, code), mail_id, expires_at };
      if (!(await this.codes.put(tx, added, MAX_MAILS, now))) throw tooManyMails(MAX_MAILS);
      await this.audit.record(tx, { act: 'account.recovery_code_requested', account_id: user_id, object: user_id });
    });
    return { expires_at: expires_at.toISOString() };
  }

  /**
   * Refuses unless the password and the codes are right. The password is checked first, so a wrong one costs no attempt of the codes.
   * A code of the second factor is needed for the first use of a mailed code: one copy after another is opened without waiting.
   */
  async judge(request: RecoveryRequest): Promise<void> {
    const { user_id, address, password, second_factor_code } = request;
    const attempt = { user_id, address, password, code: second_factor_code };
    const checked = await this.inUse.check(await this.inUse.find(user_id), attempt);
    const mailed = await this.codes.find(this.db.manager, user_id, MAX_WRONG_CODES, this.clock.now());
    const isFactorChecked = !mailed?.is_used && (await this.inUse.requireCode(attempt));
    const isRight = await this.db.transaction((tx) => this.judgeIn(tx, checked, isFactorChecked, request));
    if (isRight) return;
    count(METRICS.codesWrong);
    const { act, object } = request;
    this.audit.refused({ act: AUDITED[act], outcome: 'account.code_invalid', account_id: user_id, object });
    throw new Refusal('account.code_invalid');
  }

  /** Returns whether the code is right. The transaction commits for a wrong one too, which is counted. */
  private async judgeIn(
    tx: EntityManager,
    checked: AccountRow,
    isFactorChecked: boolean,
    { code, act, object }: RecoveryRequest,
  ): Promise<boolean> {
    const account = await this.inUse.lockChecked(checked, tx);
    const { user_id, email } = account;
    const now = this.clock.now();
    const valid = await this.codes.find(tx, user_id, MAX_WRONG_CODES, now);
    if (!valid) return false;
    if (!(await equalSecrets(hashMailedCode(user_id, code), valid.code_hash))) {
      await this.codes.countFailure(tx, user_id);
      return false;
    }
    if (!valid.is_used) await this.inUse.requireChecked(account, isFactorChecked, tx);
    // One mail for each code, however many copies it opens, and one for a reset.
    if (!valid.is_used || act === 'reset') await this.mails.notify(tx, email, NOTICES[act], now);
    await this.codes.noteUse(tx, user_id);
    await this.audit.record(tx, { act: AUDITED[act], account_id: user_id, object });
    return true;
  }
}
