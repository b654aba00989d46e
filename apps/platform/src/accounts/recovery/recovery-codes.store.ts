import { Inject, Injectable } from '@nestjs/common';
import { column, hasRow, one, sql, type Db, type Sql } from '@codase/runtime/db';
import type { CredentialsChanged } from '../../access/account-changes/index.ts';
import { AccountMailStore } from '../../access/account-mail/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ExpiredRows } from '../../access/tokens/index.ts';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';
import { RecoveryCodeEntity } from './recovery-code.entity.ts';

const DAY_MS = 86_400_000;

/** The code of an account, and whether somebody has used it. */
type RecoveryCode = Pick<RecoveryCodeEntity, 'is_used'> & { code_hash: string };

type NewCode = Pick<RecoveryCodeEntity, 'user_id' | 'mail_id' | 'expires_at'> & { code_hash: string };

/** The codes that open recovery copies, one for each account: a newer code replaces an older one. @gap D1-5.1 */
@Injectable()
export class RecoveryCodesStore implements ExpiredRows, CredentialsChanged {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: Db,
    private readonly mails: AccountMailStore,
  ) {}

  /** Stores a code. Returns whether it was stored: it is not when `most` codes were mailed within a day. The account is locked. */
  put(tx: Db, { user_id, code_hash, mail_id, expires_at }: NewCode, most: number, now: Date): Promise<boolean> {
    const since = new Date(now.getTime() - DAY_MS);
    return hasRow(tx)`
      insert into recovery_code as c (user_id, code_hash, mail_id, mails, mails_since, expires_at)
      values (${user_id}, ${code_hash}, ${mail_id}, 1, ${now}, ${expires_at})
      on conflict (user_id) do update
         set code_hash = excluded.code_hash, failures = 0, is_used = false, mail_id = excluded.mail_id, expires_at = excluded.expires_at,
             mails = case when c.mails_since <= ${since} then 1 else c.mails + 1 end,
             mails_since = case when c.mails_since <= ${since} then excluded.mails_since else c.mails_since end
       where c.mails < ${most} or c.mails_since <= ${since}
      returning 1`;
  }

  /** Returns the code of an account, unless it is over or too many codes were wrong. The account is locked. */
  find(tx: Db, user_id: string, most: number, now: Date): Promise<RecoveryCode | undefined> {
    return one<RecoveryCode>(tx)`
      select code_hash, is_used from recovery_code
       where user_id = ${user_id} and code_hash is not null and failures < ${most} and expires_at > ${now}
         for update`;
  }

  async countFailure(tx: Db, user_id: string): Promise<void> {
    await tx.getRepository(RecoveryCodeEntity).increment({ user_id }, 'failures', 1);
  }

  async noteUse(tx: Db, user_id: string): Promise<void> {
    await tx.getRepository(RecoveryCodeEntity).update({ user_id }, { is_used: true });
  }

  /** Lets the code count no more, and deletes its mail if it was not sent yet. Returns how many codes ended. */
  async end(tx: Db, user_id: string): Promise<number> {
    const ended = await column<string>(tx)`
      update recovery_code set code_hash = null where user_id = ${user_id} and code_hash is not null returning mail_id`;
    await this.mails.deleteAll(tx, ended);
    return ended.length;
  }

  credentialsChanged(tx: Db, user_id: string): Promise<number> {
    return this.end(tx, user_id);
  }

  /** A row is kept for as long as it counts mails, which is longer than its code is valid. */
  deleteExpired(now: Date, limit: number): Sql {
    return sql`
      delete from recovery_code where user_id in
        (select user_id from recovery_code
          where mails_since <= ${new Date(now.getTime() - DAY_MS)} and expires_at <= ${now} limit ${limit} for update skip locked)
      returning 1`;
  }
}

/** Ends the codes of all accounts: after the restore of an older copy nobody knows which ones were used or ended since. */
export const endRecoveryCodes = ({ tx }: RestoredFrontDoor) => tx.getRepository(RecoveryCodeEntity).updateAll({ code_hash: null });
