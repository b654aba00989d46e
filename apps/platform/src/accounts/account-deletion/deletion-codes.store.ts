import { Inject, Injectable } from '@nestjs/common';
import { hasRow, one, sql, type Db, type Sql } from '@codase/runtime/db';
import type { CredentialsChanged } from '../../access/account-changes/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ExpiredRows } from '../../access/tokens/index.ts';
import { DeletionCodeEntity } from './account-deletion.entity.ts';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';
import { MoreThan, Not } from 'typeorm';

const DAY_MS = 86_400_000;
/** Stands in place of a hash when no code is valid: no code has this hash. */
const NO_CODE = '';

type NewCode = Pick<DeletionCodeEntity, 'user_id' | 'code_hash' | 'expires_at'>;

/** The codes that confirm deletions, one for each account: a newer code replaces an older one. @gap D1-5.8 */
@Injectable()
export class DeletionCodesStore implements ExpiredRows, CredentialsChanged {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** Stores a code. Returns whether it was stored: it is not when `most` codes were mailed within a day. */
  put(tx: Db, { user_id, code_hash, expires_at }: NewCode, most: number, now: Date): Promise<boolean> {
    const since = new Date(now.getTime() - DAY_MS);
    return hasRow(tx)`
      insert into deletion_code as c (user_id, code_hash, mails, mails_since, expires_at)
      values (${user_id}, ${code_hash}, 1, ${now}, ${expires_at})
      on conflict (user_id) do update
         set code_hash = excluded.code_hash, failures = 0, expires_at = excluded.expires_at,
             mails = case when c.mails_since <= ${since} then 1 else c.mails + 1 end,
             mails_since = case when c.mails_since <= ${since} then excluded.mails_since else c.mails_since end
       where c.mails < ${most} or c.mails_since <= ${since}
      returning 1`;
  }

  /** Counts an attempt, before it is judged, and returns the hash of the code; undefined without one, or after too many wrong codes. */
  async attempt(user_id: string, most: number, now: Date): Promise<string | undefined> {
    const found = await one<{ code_hash: string }>(this.db)`
      update deletion_code set failures = failures + 1
       where user_id = ${user_id} and failures < ${most} and expires_at > ${now}
      returning code_hash`;
    return found?.code_hash;
  }

  /** Takes a counted attempt back when the code was right and something else failed, so that the same call can be repeated. */
  async uncount(user_id: string): Promise<void> {
    await this.db.getRepository(DeletionCodeEntity).decrement({ user_id, failures: MoreThan(0) }, 'failures', 1);
  }

  /** Deletes the code, so that it is used once. Returns whether it was still there. */
  async take(tx: Db, user_id: string, code_hash: string): Promise<boolean> {
    return (await tx.getRepository(DeletionCodeEntity).delete({ user_id, code_hash })).affected === 1;
  }

  /** Lets the code count no more. The row stays, because it counts the mails of the day. */
  async credentialsChanged(tx: Db, user_id: string): Promise<number> {
    return (await tx.getRepository(DeletionCodeEntity).update({ user_id, code_hash: Not(NO_CODE) }, { code_hash: NO_CODE })).affected!;
  }

  deleteExpired(now: Date, limit: number): Sql {
    return sql`
      delete from deletion_code where user_id in
        (select user_id from deletion_code where expires_at <= ${now} limit ${limit} for update skip locked)
      returning 1`;
  }
}

/** Ends the codes of all accounts: after the restore of an older copy nobody knows which ones were used or ended since. */
export const endDeletionCodes = ({ tx }: RestoredFrontDoor) => tx.getRepository(DeletionCodeEntity).updateAll({ code_hash: NO_CODE });
