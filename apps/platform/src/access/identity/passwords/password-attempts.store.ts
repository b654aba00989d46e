import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { DataSource } from 'typeorm';
import { FRONT_DOOR_DB } from '../../../kit/databases.ts';
import { delayMs, FORGOTTEN_AFTER_MS, KNOWN_FOR_MS } from './failure-delay.ts';
import type { PasswordFailuresEntity } from './password-failures.entity.ts';

/** The account that a password is tried for, and where the attempt comes from. */
type AttemptSource = Pick<PasswordFailuresEntity, 'account_key' | 'source'>;

/** The one source for all addresses from which the account has not signed in, however many they are. */
const STRANGERS = 'strangers';

type FailuresRow = Pick<PasswordFailuresEntity, 'failures' | 'last_at' | 'next_at'>;

/** Returns the key of an account: a hash of what was typed as its e-mail address, which may be something else. */
export const accountKeyOf = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('base64url');

/**
 * Returns the key under which codes of the second factor of an account are counted, apart from its passwords. It is the hash of a text with
 * a NUL, which no typed address holds: nobody can count failures here by typing such a text. @gap D1-5.8
 */
export const secondFactorKeyOf = (user_id: string): string =>
  createHash('sha256').update(`\u0000second factor\u0000${user_id}`).digest('base64url');

/** Stores failed password attempts by account and source, and the addresses from which accounts have signed in. @gap D1-8 */
@Injectable()
export class PasswordAttemptsStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: DataSource) {}

  /** Returns the source as which an address counts for an account. */
  async sourceOf(account_key: string, address: string, now: Date): Promise<AttemptSource> {
    const known = await one(this.db)`
      select 1 from sign_in_address
       where account_key = ${account_key} and address = ${address} and last_at > ${new Date(now.getTime() - KNOWN_FOR_MS)}`;
    return { account_key, source: known ? address : STRANGERS };
  }

  /**
   * Counts an attempt as failed before the password is checked, so that several attempts at once do not count as one. Returns 0; while
   * attempts have to wait, it counts nothing and returns the milliseconds that are left.
   */
  async begin({ account_key, source }: AttemptSource, now: Date): Promise<number> {
    return this.db.transaction(async (tx) => {
      await execute(tx)`insert into password_failures (account_key, source, failures, last_at, next_at)
            values (${account_key}, ${source}, 0, ${now}, ${now}) on conflict do nothing`;
      const row = await one<FailuresRow>(tx)`select failures, last_at, next_at from password_failures
             where account_key = ${account_key} and source = ${source} for update`;
      const wait = row!.next_at.getTime() - now.getTime();
      if (wait > 0) return wait;
      const isForgotten = now.getTime() - row!.last_at.getTime() > FORGOTTEN_AFTER_MS;
      const failures = (isForgotten ? 0 : row!.failures) + 1;
      await execute(tx)`update password_failures
               set failures = ${failures}, last_at = ${now}, next_at = ${new Date(now.getTime() + delayMs(failures))}
             where account_key = ${account_key} and source = ${source}`;
      return 0;
    });
  }

  /** Records that the attempt was right, so that it does not count as a failure. Other failures of strangers stay counted. */
  async succeeded({ account_key, source }: AttemptSource, now: Date): Promise<void> {
    await execute(this.db)`
      update password_failures
         set failures = case when source = ${STRANGERS} then greatest(failures - 1, 0) else 0 end, next_at = ${now}
       where account_key = ${account_key} and source = ${source}`;
  }

  /** Notes an address from which everything that is asked for was given: from now on its failures count on their own. */
  async know(account_key: string, address: string, now: Date, db: Db = this.db): Promise<void> {
    await execute(db)`
      insert into sign_in_address as a (account_key, address, last_at) values (${account_key}, ${address}, ${now})
      on conflict (account_key, address) do update set last_at = excluded.last_at where a.last_at < excluded.last_at`;
  }

  /** Moves the known addresses of an account to its new e-mail address, and forgets the failures with the old one. @gap D1-5.8 */
  async emailChanged(tx: Db, from: string, to: string): Promise<void> {
    const [old_key, account_key] = [accountKeyOf(from), accountKeyOf(to)];
    await execute(tx)`
      insert into sign_in_address as a (account_key, address, last_at)
      select ${account_key}, address, last_at from sign_in_address where account_key = ${old_key}
      on conflict (account_key, address) do update set last_at = greatest(a.last_at, excluded.last_at)`;
    await execute(tx)`delete from sign_in_address where account_key = ${old_key}`;
    await execute(tx)`delete from password_failures where account_key = ${old_key}`;
  }

  /** Forgets the known addresses of an account but this one: somebody may have had the old password. @gap D1-5.8 */
  async passwordChanged(tx: Db, email: string, address: string): Promise<void> {
    await execute(tx)`delete from sign_in_address where account_key = ${accountKeyOf(email)} and address <> ${address}`;
  }

  /** Forgets what is counted under a key, and the addresses that are known for it. */
  async forget(tx: Db, account_key: string): Promise<void> {
    await execute(tx)`delete from password_failures where account_key = ${account_key}`;
    await execute(tx)`delete from sign_in_address where account_key = ${account_key}`;
  }

  /** Deletes rows that are too old to count. */
  async deleteExpired(now: Date, limit: number, db: Db = this.db): Promise<number> {
    const failures = await many(db)`
      delete from password_failures where (account_key, source) in
        (select account_key, source from password_failures where last_at < ${new Date(now.getTime() - FORGOTTEN_AFTER_MS)}
          limit ${limit} for update skip locked)
      returning 1`;
    const addresses = await many(db)`
      delete from sign_in_address where (account_key, address) in
        (select account_key, address from sign_in_address where last_at < ${new Date(now.getTime() - KNOWN_FOR_MS)}
          limit ${limit} for update skip locked)
      returning 1`;
    return failures.length + addresses.length;
  }
}
