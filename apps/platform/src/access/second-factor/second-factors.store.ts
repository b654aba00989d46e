import { Inject, Injectable } from '@nestjs/common';
import { hasRow, many, one, sql, type Db, type Sql } from '@codase/runtime/db';
import { IsNull, LessThan, MoreThan, Not } from 'typeorm';
import type { CredentialsChanged } from '../account-changes/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ExpiredRows } from '../tokens/index.ts';
import { BackupCodeEntity, SecondFactorEntity } from './second-factor.entity.ts';

/** A new authenticator, which waits for its first code. */
type NewFactor = Pick<SecondFactorEntity, 'user_id' | 'factor_id' | 'sealed_secrets'> & { expires_at: Date };

/** A second factor, and how many were sealed with the same key. */
type KeySample = Pick<SecondFactorEntity, 'user_id' | 'sealed_secrets'> & { sealed: number };

/** The second factors of accounts, with the hashes of their backup codes. @gap D1-5.8 */
@Injectable()
export class SecondFactorsStore implements ExpiredRows, CredentialsChanged {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** Finds the second factor that is asked for at sign-in. */
  async findOn(user_id: string, tx: Db = this.db): Promise<SecondFactorEntity | undefined> {
    return (await tx.getRepository(SecondFactorEntity).findOneBy({ user_id, enabled_at: Not(IsNull()) })) ?? undefined;
  }

  /** Finds a new authenticator that still waits for its first code. */
  async findWaiting(user_id: string, now: Date): Promise<SecondFactorEntity | undefined> {
    return (await this.db.getRepository(SecondFactorEntity).findOneBy({ user_id, expires_at: MoreThan(now) })) ?? undefined;
  }

  /** Returns the number of backup codes of an account whose second factor is on; undefined when it is off. */
  async backupCodesOf(user_id: string): Promise<number | undefined> {
    const found = await one<{ n: number }>(this.db)`
      select (select count(*)::int from backup_code c where c.factor_id = f.factor_id) as n
        from second_factor f where f.user_id = ${user_id} and f.enabled_at is not null`;
    return found?.n;
  }

  /** Stores a new authenticator in place of one that still waits. Returns whether it did: not when the second factor is on. */
  begin(tx: Db, { user_id, factor_id, sealed_secrets, expires_at }: NewFactor): Promise<boolean> {
    return hasRow(tx)`
      insert into second_factor as f (user_id, factor_id, sealed_secrets, expires_at)
      values (${user_id}, ${factor_id}, ${sealed_secrets}, ${expires_at})
      on conflict (user_id) do update
         set factor_id = excluded.factor_id, sealed_secrets = excluded.sealed_secrets, expires_at = excluded.expires_at
       where f.enabled_at is null
      returning 1`;
  }

  /** Switches a waiting second factor on, with its first code used up. Returns whether it still waited. */
  async switchOn(tx: Db, factor_id: string, step: number, now: Date): Promise<boolean> {
    const waiting = { factor_id, expires_at: MoreThan(now) };
    const { affected } = await tx
      .getRepository(SecondFactorEntity)
      .update(waiting, { enabled_at: now, expires_at: null, last_step: String(step) });
    return affected === 1;
  }

  /** Uses up the code of a step, and those of older ones. Returns false when it was used before: a code serves one request. */
  async useStep(factor_id: string, step: number): Promise<boolean> {
    const last_step = String(step);
    const unused = { factor_id, enabled_at: Not(IsNull()), last_step: LessThan(last_step) };
    return (await this.db.getRepository(SecondFactorEntity).update(unused, { last_step })).affected === 1;
  }

  /** Replaces the backup codes. The account is locked by the caller. Returns whether the second factor is still this one, and on. */
  async putBackupCodes(tx: Db, factor_id: string, hashes: readonly string[]): Promise<boolean> {
    await tx.getRepository(BackupCodeEntity).delete({ factor_id });
    const put = await many(tx)`
      insert into backup_code (factor_id, code_hash)
      select factor_id, unnest(${hashes}::text[]) from second_factor where factor_id = ${factor_id} and enabled_at is not null
      returning 1`;
    return put.length > 0;
  }

  /** Uses a backup code up. Returns how many are left; undefined when there is no such code. */
  async useBackupCode(tx: Db, factor_id: string, code_hash: string): Promise<number | undefined> {
    const codes = tx.getRepository(BackupCodeEntity);
    const { affected } = await codes.delete({ factor_id, code_hash });
    return affected === 1 ? codes.countBy({ factor_id }) : undefined;
  }

  /** Removes a second factor with its backup codes. Returns whether it was on. */
  async remove(tx: Db, user_id: string): Promise<boolean> {
    const removed = await one<{ is_on: boolean }>(tx)`
      delete from second_factor where user_id = ${user_id} returning enabled_at is not null as is_on`;
    return removed?.is_on ?? false;
  }

  /** Returns one second factor of each key, and how many that key has sealed, without waiting ones. It reads the whole table. */
  oneOfEachKey(): Promise<KeySample[]> {
    return many<KeySample>(this.db)`
      select f.user_id, f.sealed_secrets, k.sealed
        from (select min(user_id) as user_id, count(*)::integer as sealed from second_factor
               where enabled_at is not null group by split_part(sealed_secrets, ':', 1)) k
        join second_factor f using (user_id)`;
  }

  /** Returns at most `limit` rows whose users come after `user_id`, in the order of their ids. */
  after(user_id: string, limit: number): Promise<SecondFactorEntity[]> {
    const where = { user_id: MoreThan(user_id) };
    return this.db.getRepository(SecondFactorEntity).find({ where, order: { user_id: 'ASC' }, take: limit });
  }

  /** Replaces the sealed secrets of a second factor that is still the one that was read. */
  async reseal({ factor_id, sealed_secrets }: SecondFactorEntity, resealed: string): Promise<void> {
    await this.db.getRepository(SecondFactorEntity).update({ factor_id, sealed_secrets }, { sealed_secrets: resealed });
  }

  /** Forgets a new authenticator that still waits: somebody with the old password may have begun it. */
  async credentialsChanged(tx: Db, user_id: string): Promise<number> {
    await tx.getRepository(SecondFactorEntity).delete({ user_id, enabled_at: IsNull() });
    return 0; // its code is shown by the authenticator and not mailed
  }

  deleteExpired(now: Date, limit: number): Sql {
    return sql`
      delete from second_factor where user_id in
        (select user_id from second_factor where expires_at <= ${now} limit ${limit} for update skip locked)
      returning 1`;
  }
}
