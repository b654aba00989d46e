import { Inject, Injectable } from '@nestjs/common';
import { execute, many, one, sql, type Db, type Sql } from '@codase/runtime/db';
import type { CredentialsChanged } from '../account-changes/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ExpiredRows } from '../tokens/index.ts';
import type { SecondFactorEntity } from './second-factor.entity.ts';

/** A new authenticator, which waits for its first code. */
export type NewFactor = Pick<SecondFactorEntity, 'user_id' | 'factor_id' | 'sealed_secrets'> & { expires_at: Date };

/** A second factor, and how many were sealed with the same key. */
export type KeySample = Pick<SecondFactorEntity, 'user_id' | 'sealed_secrets'> & { sealed: number };

/** The second factors of accounts, with the hashes of their backup codes. @gap D1-5.8 */
@Injectable()
export class SecondFactorsStore implements ExpiredRows, CredentialsChanged {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** Finds the second factor that is asked for at sign-in. */
  findOn(user_id: string): Promise<SecondFactorEntity | undefined> {
    return one<SecondFactorEntity>(this.db, sql`select * from second_factor where user_id = ${user_id} and enabled_at is not null`);
  }

  /** Finds a new authenticator that still waits for its first code. */
  findWaiting(user_id: string, now: Date): Promise<SecondFactorEntity | undefined> {
    return one<SecondFactorEntity>(this.db, sql`select * from second_factor where user_id = ${user_id} and expires_at > ${now}`);
  }

  /** Returns the number of backup codes of an account whose second factor is on; undefined when it is off. */
  async backupCodesOf(user_id: string): Promise<number | undefined> {
    const found = await one<{ n: number }>(
      this.db,
      sql`
      select (select count(*)::int from backup_code c where c.factor_id = f.factor_id) as n
        from second_factor f where f.user_id = ${user_id} and f.enabled_at is not null`,
    );
    return found?.n;
  }

  /** Stores a new authenticator in place of one that still waits. Returns whether it did: not when the second factor is on. */
  async begin(tx: Db, { user_id, factor_id, sealed_secrets, expires_at }: NewFactor): Promise<boolean> {
    const begun = await one(
      tx,
      sql`
      insert into second_factor as f (user_id, factor_id, sealed_secrets, expires_at)
      values (${user_id}, ${factor_id}, ${sealed_secrets}, ${expires_at})
      on conflict (user_id) do update
         set factor_id = excluded.factor_id, sealed_secrets = excluded.sealed_secrets, expires_at = excluded.expires_at
       where f.enabled_at is null
      returning 1`,
    );
    return begun !== undefined;
  }

  /** Switches a waiting second factor on, with its first code used up. Returns whether it still waited. */
  async switchOn(tx: Db, factor_id: string, step: number, now: Date): Promise<boolean> {
    const on = await one(
      tx,
      sql`
      update second_factor set enabled_at = ${now}, expires_at = null, last_step = ${step}
       where factor_id = ${factor_id} and expires_at > ${now}
      returning 1`,
    );
    return on !== undefined;
  }

  /**
   * Uses up the code of a step, and with it those of older steps. Returns whether it was not used before: of several requests with the same
   * code, at whichever replica, one is served.
   */
  async useStep(factor_id: string, step: number): Promise<boolean> {
    const used = await one(
      this.db,
      sql`
      update second_factor set last_step = ${step}
       where factor_id = ${factor_id} and enabled_at is not null and last_step < ${step}
      returning 1`,
    );
    return used !== undefined;
  }

  /** Replaces the backup codes. The account is locked by the caller. Returns whether the second factor is still this one, and on. */
  async putBackupCodes(tx: Db, factor_id: string, hashes: readonly string[]): Promise<boolean> {
    await execute(tx, sql`delete from backup_code where factor_id = ${factor_id}`);
    const put = await many(
      tx,
      sql`
      insert into backup_code (factor_id, code_hash)
      select factor_id, unnest(${hashes}::text[]) from second_factor where factor_id = ${factor_id} and enabled_at is not null
      returning 1`,
    );
    return put.length > 0;
  }

  /** Uses a backup code up. Returns how many are left; undefined when there is no such code. */
  async useBackupCode(tx: Db, factor_id: string, code_hash: string): Promise<number | undefined> {
    const used = await one(tx, sql`delete from backup_code where factor_id = ${factor_id} and code_hash = ${code_hash} returning 1`);
    if (!used) return undefined;
    return (await one<{ n: number }>(tx, sql`select count(*)::int as n from backup_code where factor_id = ${factor_id}`))!.n;
  }

  /** Removes a second factor with its backup codes. Returns whether it was on. */
  async remove(tx: Db, user_id: string): Promise<boolean> {
    const removed = await one<{ is_on: boolean }>(
      tx,
      sql`delete from second_factor where user_id = ${user_id} returning enabled_at is not null as is_on`,
    );
    return removed?.is_on ?? false;
  }

  /**
   * Returns one second factor for each key that some were sealed with, and how many these are. A waiting one is left out, since it ends by
   * itself. The whole table is read.
   */
  oneOfEachKey(): Promise<KeySample[]> {
    return many<KeySample>(
      this.db,
      sql`
      select f.user_id, f.sealed_secrets, k.sealed
        from (select min(user_id) as user_id, count(*)::integer as sealed from second_factor
               where enabled_at is not null group by split_part(sealed_secrets, ':', 1)) k
        join second_factor f using (user_id)`,
    );
  }

  /** Returns at most `limit` rows whose users come after `user_id`, in the order of their ids. */
  after(user_id: string, limit: number): Promise<SecondFactorEntity[]> {
    return many<SecondFactorEntity>(this.db, sql`select * from second_factor where user_id > ${user_id} order by user_id limit ${limit}`);
  }

  /** Replaces the sealed secrets of a second factor that is still the one that was read. */
  async reseal({ factor_id, sealed_secrets }: SecondFactorEntity, resealed: string): Promise<void> {
    await execute(
      this.db,
      sql`update second_factor set sealed_secrets = ${resealed} where factor_id = ${factor_id} and sealed_secrets = ${sealed_secrets}`,
    );
  }

  /** Forgets a new authenticator that still waits: somebody with the old password may have begun it. */
  async credentialsChanged(tx: Db, user_id: string): Promise<void> {
    await execute(tx, sql`delete from second_factor where user_id = ${user_id} and enabled_at is null`);
  }

  deleteExpired(now: Date, limit: number): Sql {
    return sql`
      delete from second_factor where user_id in
        (select user_id from second_factor where expires_at <= ${now} limit ${limit} for update skip locked)
      returning 1`;
  }
}
