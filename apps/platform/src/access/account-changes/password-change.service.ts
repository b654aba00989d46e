import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { addressKey } from '@codase/runtime/http';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { AccountMailStore } from '../account-mail/index.ts';
import { Audit } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { AccountsStore, NewPasswords, PasswordAttemptsStore, type AccountRow } from '../identity/index.ts';
import { LocalSessions } from '../tokens/index.ts';
import { AccountsInUse, type Reauthentication } from './accounts-in-use.service.ts';
import { CREDENTIALS_CHANGED, endPending, type CredentialsChanged } from './account-changes.hook.ts';
import { METRICS } from './metrics.ts';

/** A change whose password, and code if one was required, were right. */
interface CheckedChange {
  address: string;
  password_hash: string;
  /** The session that goes on. */
  session_id: string | undefined;
  isCodeChecked: boolean;
}

/** Changes the password of an account, in one transaction with everything that follows from it. @gap D1-5.8 */
@Injectable()
export class PasswordChange {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly inUse: AccountsInUse,
    private readonly accounts: AccountsStore,
    private readonly passwords: NewPasswords,
    private readonly attempts: PasswordAttemptsStore,
    private readonly sessions: LocalSessions,
    private readonly mails: AccountMailStore,
    private readonly audit: Audit,
    @Inject(CREDENTIALS_CHANGED) private readonly changed: readonly CredentialsChanged[],
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Changes the password when the present one is right, and so is the code of a second factor that is on. What can be said of the new one
   * without knowing the present one is said first, so that it costs no attempt. `session_id` is the session that goes on.
   */
  async change(attempt: Reauthentication, new_password: string, session_id?: string): Promise<void> {
    const account = await this.inUse.find(attempt.user_id);
    await this.passwords.check(new_password, account.email, 'new_password');
    if (isSame(attempt.password, new_password))
      throw new Refusal('account.password_weak').because('new_password: is the password that it would replace: choose another');
    const checked = await this.inUse.check(account, attempt);
    const isCodeChecked = await this.inUse.requireCode(attempt);
    const password_hash = await this.passwords.hash(new_password, `new password ${attempt.user_id}`);
    const ended = await this.db.transaction((tx) => this.changeIn(tx, checked, { ...attempt, password_hash, session_id, isCodeChecked }));
    count(METRICS.passwordsChanged);
    this.sessions.countEnded(ended);
  }

  /** Returns how many sessions ended. Of two changes at once, the second finds another password than the one that was checked. */
  private async changeIn(
    tx: EntityManager,
    checked: AccountRow,
    { address, password_hash, session_id, isCodeChecked }: CheckedChange,
  ): Promise<number> {
    const { user_id, email } = await this.inUse.lockWithCode(checked, isCodeChecked, tx);
    await this.accounts.setPassword(user_id, password_hash, tx);
    await this.attempts.passwordChanged(tx, email, addressKey(address));
    const { sessions, to_publish } = await this.sessions.endAllIn(tx, user_id, session_id);
    await endPending(this.changed, tx, user_id);
    await this.mails.notify(tx, email, { kind: 'password_changed', facts: {} }, this.clock.now());
    await this.audit.record(tx, { act: 'account.password_changed', account_id: user_id, object: user_id, details: { sessions } });
    await this.sessions.publishEnds(to_publish);
    return sessions;
  }
}

/** Whether two texts are the same password, by whichever keyboard they were written. */
const isSame = (one: string, other: string) => one.normalize('NFKC') === other.normalize('NFKC');
