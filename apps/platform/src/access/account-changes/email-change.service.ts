import { Inject, Injectable } from '@nestjs/common';
import { EMAIL_CODE_HOURS, Refusal } from '@codase/contracts';
import { equalSecrets } from '@codase/crypto';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { AccountMailStore, hashMailedCode, MAX_WRONG_CODES, newMailedCode, tooManyMails, type AccountMail } from '../account-mail/index.ts';
import { Audit } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { AccountsStore, isEmailTaken, PasswordAttemptsStore, type AccountRow } from '../identity/index.ts';
import { newId } from '../../kit/ids.ts';
import { AccountsInUse, type Reauthentication } from './accounts-in-use.service.ts';
import { CREDENTIALS_CHANGED, endPending, type CredentialsChanged } from './account-changes.hook.ts';
import type { EmailChangeEntity } from './email-change.entity.ts';
import { EmailChangesStore, type TriedChange } from './email-changes.store.ts';
import { METRICS } from './metrics.ts';

/**
 * How many mails with codes changes of addresses cause in a day. One account causes at most `by_account`. Its first one to an address is
 * always sent, so that strangers cannot use up the share of the owner; further ones only until all accounts together have caused
 * `to_address`. @gap D1-5.8
 */
const MAX_MAILS = { by_account: 5, to_address: 20 } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A change that is requested, and what is known of it before its transaction. */
interface WantedChange {
  email: string;
  isCodeChecked: boolean;
  isTaken: boolean;
  created_at: Date;
  expires_at: Date;
}

/**
 * Changes the e-mail address of an account in two steps. A code is mailed to the new address, and with this code the address changes.
 * Sessions go on: the password is the same, and the owner of a stolen account needs a session to act upon the mail to the old address.
 * @gap D1-5.8
 */
@Injectable()
export class EmailChange {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly inUse: AccountsInUse,
    private readonly accounts: AccountsStore,
    private readonly attempts: PasswordAttemptsStore,
    private readonly changes: EmailChangesStore,
    private readonly mails: AccountMailStore,
    private readonly audit: Audit,
    @Inject(CREDENTIALS_CHANGED) private readonly changed: readonly CredentialsChanged[],
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Mails a code to the new address when the password is right, and so is the code of a second factor that is on. The work and the answer
   * are the same whether or not another account has the address: only the mail says it.
   */
  async request(attempt: Reauthentication, email: string): Promise<{ confirm_by: string }> {
    const checked = await this.inUse.check(await this.inUse.find(attempt.user_id), attempt);
    if (email === checked.email) throw new Refusal('account.email_taken').because('email: is the address of this account already');
    const isCodeChecked = await this.inUse.requireCode(attempt);
    const created_at = this.clock.now();
    const expires_at = new Date(created_at.getTime() + EMAIL_CODE_HOURS * HOUR_MS);
    const isTaken = (await this.accounts.findByEmail(email)) !== undefined;
    await this.db.transaction((tx) => this.requestIn(tx, checked, { email, isCodeChecked, isTaken, created_at, expires_at }));
    return { confirm_by: expires_at.toISOString() };
  }

  private async requestIn(
    tx: EntityManager,
    checked: AccountRow,
    { email, isCodeChecked, isTaken, created_at, expires_at }: WantedChange,
  ): Promise<void> {
    const { user_id } = await this.inUse.lockWithCode(checked, isCodeChecked, tx);
    const since = new Date(created_at.getTime() - DAY_MS);
    await this.refuseTooMany(tx, { user_id, email }, since);
    const code = newMailedCode();
    // For an address that is taken, this is the hash of a random code that nobody knows.
    const code_hash = hashMailedCode(user_id, isTaken ? newId('code') : code);
    const mail: AccountMail = isTaken ? { kind: 'email_requested', facts: {} } : { kind: 'confirm_email', facts: { code } };
    await this.changes.endCodes(tx, user_id);
    const mail_id = await this.mails.write(tx, email, mail, created_at, expires_at);
    await this.changes.add(tx, { user_id, email, code_hash, mail_id, created_at, expires_at });
    await this.audit.record(tx, { act: 'account.email_change_requested', account_id: user_id, object: user_id });
  }

  /** Refuses a request over the share of its account. A code that was mailed before goes on. */
  private async refuseTooMany(tx: EntityManager, request: Pick<EmailChangeEntity, 'user_id' | 'email'>, since: Date): Promise<void> {
    const made = await this.changes.madeBy(tx, request.user_id, since);
    if (made >= MAX_MAILS.by_account) throw tooManyMails(made);
    const { own, all } = await this.changes.mailedTo(tx, request, since);
    if (own > 0 && all >= MAX_MAILS.to_address) throw tooManyMails(own);
  }

  /** Changes the address when the code is the one that was mailed. A call that fails for another reason than the code can be repeated. */
  async confirm(user_id: string, code: string): Promise<void> {
    const tried = await this.changes.attempt(user_id, MAX_WRONG_CODES, this.clock.now());
    if (!tried || !(await equalSecrets(hashMailedCode(user_id, code), tried.code_hash))) {
      this.audit.refused({ act: 'account.email_changed', outcome: 'account.code_invalid', account_id: user_id, object: user_id });
      throw new Refusal('account.code_invalid');
    }
    try {
      await this.db.transaction((tx) => this.changeIn(tx, user_id, tried));
    } catch (error) {
      await this.changes.uncount(tried.number);
      throw isEmailTaken(error)
        ? new Refusal('account.email_taken').because('email: another account has taken it meanwhile; ask for another address')
        : error;
    }
    count(METRICS.emailsChanged);
  }

  /** Changes the address. The database lets two accounts never have the same one, whichever of them signs up or changes at this moment. */
  private async changeIn(tx: EntityManager, user_id: string, tried: TriedChange): Promise<void> {
    const { email: old } = await this.inUse.lock(user_id, tx);
    if (!(await this.changes.take(tx, tried))) throw new Refusal('account.code_invalid');
    await this.accounts.setEmail(user_id, tried.email, tx);
    await this.attempts.emailChanged(tx, old, tried.email);
    await endPending(this.changed, tx, user_id);
    await this.mails.notify(tx, old, { kind: 'email_changed', facts: {} }, this.clock.now());
    await this.audit.record(tx, { act: 'account.email_changed', account_id: user_id, object: user_id });
  }
}
