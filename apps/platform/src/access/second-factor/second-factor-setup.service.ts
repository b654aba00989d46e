import { Inject, Injectable } from '@nestjs/common';
import { AUTHENTICATOR_MINUTES, Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import {
  AccountsInUse,
  CREDENTIALS_CHANGED,
  endPending,
  type CredentialsChanged,
  type Reauthentication,
} from '../account-changes/index.ts';
import { AccountMailStore } from '../account-mail/index.ts';
import { Audit, OPERATOR_INITIATOR } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { AccountsStore, PasswordAttemptsStore, secondFactorKeyOf, type AccountRow } from '../identity/index.ts';
import { newId } from '../../kit/ids.ts';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { FactorSecrets } from './factor-secrets.service.ts';
import { METRICS } from './metrics.ts';
import { otpauthUrl } from './otpauth-url.ts';
import { codeInvalid, SecondFactorCheck, type CodeAttempt } from './second-factor-check.service.ts';
import { SecondFactorsStore } from './second-factors.store.ts';
import type { SecondFactorEntity } from './second-factor.entity.ts';

/** Sets second factors up and switches them off, each change in one transaction with what follows from it. @gap D1-5.8 */
@Injectable()
export class SecondFactorSetup {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly inUse: AccountsInUse,
    private readonly accounts: AccountsStore,
    private readonly attempts: PasswordAttemptsStore,
    private readonly factors: SecondFactorsStore,
    private readonly secrets: FactorSecrets,
    private readonly codes: SecondFactorCheck,
    private readonly mails: AccountMailStore,
    private readonly audit: Audit,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(CREDENTIALS_CHANGED) private readonly changed: readonly CredentialsChanged[],
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async read(user_id: string): Promise<{ enabled: boolean; backup_codes_left: number }> {
    const left = await this.factors.backupCodesOf(user_id);
    return { enabled: left !== undefined, backup_codes_left: left ?? 0 };
  }

  /** Makes a new authenticator when the password is right. It replaces one that was never confirmed. */
  async begin(attempt: Reauthentication): Promise<{ otpauth_url: string; confirm_by: string }> {
    const account = await this.inUse.find(attempt.user_id);
    if (await this.factors.findOn(attempt.user_id)) throw alreadyOn();
    const checked = await this.inUse.check(account, attempt);
    const { user_id, email } = checked;
    const { totp, sealed_secrets } = this.secrets.make(user_id);
    const expires_at = new Date(this.clock.now().getTime() + AUTHENTICATOR_MINUTES * 60_000);
    await this.db.transaction(async (tx) => {
      await this.inUse.lockChecked(checked, tx);
      if (!(await this.factors.begin(tx, { user_id, factor_id: newId('fac'), sealed_secrets, expires_at }))) throw alreadyOn();
      await this.audit.record(tx, { act: 'second_factor.begun', account_id: user_id, object: user_id });
    });
    return { otpauth_url: otpauthUrl(this.bases.front_door_url, email, totp), confirm_by: expires_at.toISOString() };
  }

  /**
   * Switches the second factor on when the first code is right, and forgets all addresses but this one. What was begun with the password
   * alone ends: changes of the address, deletions, recoveries. Returns the backup codes.
   */
  async confirm(attempt: CodeAttempt): Promise<string[]> {
    const { user_id } = await this.inUse.find(attempt.user_id);
    const factor = await this.factors.findWaiting(user_id, this.clock.now());
    if (!factor) throw new Refusal('account.second_factor_state').because('No authenticator waits for its first code: begin anew');
    const step = await this.codes.stepOf(factor, attempt);
    if (step === undefined) throw codeInvalid();
    const { codes, hashes } = this.secrets.makeBackupCodes(factor);
    await this.db.transaction(async (tx) => {
      const account = await this.inUse.lock(user_id, tx);
      const isOn = await this.factors.switchOn(tx, factor.factor_id, step, this.clock.now());
      if (!isOn) throw new Refusal('account.second_factor_state');
      await this.factors.putBackupCodes(tx, factor.factor_id, hashes);
      await this.attempts.forget(tx, secondFactorKeyOf(user_id));
      await this.codes.know(attempt, tx);
      const codes_ended = await endPending(this.changed, tx, user_id);
      await this.mails.notify(tx, account.email, { kind: 'second_factor_on', facts: {} }, this.clock.now());
      const details = { codes_ended };
      await this.audit.record(tx, { act: 'second_factor.switched_on', account_id: user_id, object: user_id, details });
    });
    count(METRICS.switchedOn);
    return codes;
  }

  /** Returns new backup codes, in place of all older ones. */
  async renewBackupCodes(attempt: Reauthentication, code: string): Promise<string[]> {
    const { checked, factor } = await this.authorize(attempt, code);
    const { user_id } = checked;
    const { codes, hashes } = this.secrets.makeBackupCodes(factor);
    await this.db.transaction(async (tx) => {
      await this.inUse.lockChecked(checked, tx);
      if (!(await this.factors.putBackupCodes(tx, factor.factor_id, hashes))) throw alreadyOff();
      await this.audit.record(tx, { act: 'second_factor.codes_made', account_id: user_id, object: user_id });
    });
    return codes;
  }

  async end(attempt: Reauthentication, code: string): Promise<void> {
    const { checked } = await this.authorize(attempt, code);
    await this.db.transaction(async (tx) => {
      const account = await this.inUse.lockChecked(checked, tx);
      if (!(await this.switchOff(tx, account))) throw alreadyOff();
      await this.audit.record(tx, { act: 'second_factor.switched_off', account_id: account.user_id, object: account.user_id });
    });
    count(METRICS.switchedOff);
  }

  /** Switches a second factor off for an operator, whose user has neither authenticator nor backup codes. Returns whether it was on. */
  async endByOperator(user_id: string): Promise<boolean> {
    const wasOn = await this.db.transaction(async (tx) => {
      const account = await this.accounts.lock(user_id, tx);
      if (!account) throw new Refusal('request.invalid').because(`There is no account ${user_id}`);
      if (!(await this.switchOff(tx, account))) return false;
      const act = { act: 'second_factor.switched_off', account_id: user_id, object: user_id, initiator: OPERATOR_INITIATOR } as const;
      await this.audit.record(tx, act);
      return true;
    });
    if (wasOn) count(METRICS.switchedOff);
    return wasOn;
  }

  /** Refuses a wrong password and then a wrong code, and uses the code up. */
  private async authorize(attempt: Reauthentication, code: string): Promise<{ checked: AccountRow; factor: SecondFactorEntity }> {
    const account = await this.inUse.find(attempt.user_id);
    const factor = await this.factors.findOn(account.user_id);
    if (!factor) throw alreadyOff();
    const checked = await this.inUse.check(account, attempt);
    await this.codes.requireCode({ ...attempt, code });
    return { checked, factor };
  }

  /** Removes the second factor of a locked account, and mails its owner when it was on. Wrong codes count no more. */
  private async switchOff(tx: EntityManager, account: AccountRow): Promise<boolean> {
    const wasOn = await this.factors.remove(tx, account.user_id);
    if (!wasOn) return false;
    await this.attempts.forget(tx, secondFactorKeyOf(account.user_id));
    await this.mails.notify(tx, account.email, { kind: 'second_factor_off', facts: {} }, this.clock.now());
    return true;
  }
}

const alreadyOn = () => new Refusal('account.second_factor_state').because('The second factor is on: switch it off to set up another one');
const alreadyOff = () => new Refusal('account.second_factor_state').because('The second factor is not on');
