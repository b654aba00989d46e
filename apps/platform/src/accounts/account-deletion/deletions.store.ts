import { Inject, Injectable } from '@nestjs/common';
import { column, execute, hasRow, many, one, type Db } from '@codase/runtime/db';
import { z } from 'zod';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { AccountTakenBack } from '../../access/identity/index.ts';
import { AccountDeletionEntity } from './account-deletion.entity.ts';

/** The ids of deleted accounts: after the restore of an older copy of the front door they are deleted again. @gap D1-5.8 */
export const DELETED_ACCOUNTS = { bucket: 'deleted_accounts', shape: z.object({ user_id: z.string() }) };

/** An account that some regions have still to delete. */
export type PendingDeletion = Omit<AccountDeletionEntity, 'next_at'>;

/** The confirmed deletions. A row stays for good, so that the account also stays deleted after a restore. @gap D1-5.8 */
@Injectable()
export class DeletionsStore implements AccountTakenBack {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** Claims some deletions that are due, the longest due first. No other replica claims them before `until`. */
  claim(now: Date, until: Date, most: number): Promise<PendingDeletion[]> {
    return many<PendingDeletion>(this.db)`
      update account_deletion set attempts = attempts + 1, next_at = ${until}
       where user_id in (
         select user_id from account_deletion
          where (regions_left is null or cardinality(regions_left) > 0) and next_at <= ${now}
          order by next_at limit ${most} for update skip locked)
      returning user_id, deleted_at, regions_left, attempts`;
  }

  /** Notes that a region has made a deletion. `all` are the regions that have to make it. Returns how many regions are left. */
  async madeIn(user_id: string, region: string, all: readonly string[]): Promise<number> {
    const made = await one<{ left: number }>(this.db)`
      update account_deletion set regions_left = array_remove(coalesce(regions_left, ${all}::text[]), ${region})
       where user_id = ${user_id}
      returning cardinality(regions_left) as left`;
    return made?.left ?? 0;
  }

  /** Notes the deletion of an account whose sign-up failed, so that a profile that comes to its region late does not stay there. */
  accountTakenBack(tx: Db, user_id: string, now: Date): Promise<boolean> {
    return addDeletion(tx, user_id, now);
  }

  async postpone(user_id: string, next_at: Date): Promise<void> {
    await this.db.getRepository(AccountDeletionEntity).update({ user_id }, { next_at });
  }
}

/** Notes a deletion that every region has still to make. Returns whether it is new. */
export const addDeletion = (tx: Db, user_id: string, deleted_at: Date): Promise<boolean> =>
  hasRow(tx)`
    insert into account_deletion (user_id, deleted_at, next_at) values (${user_id}, ${deleted_at}, ${deleted_at})
    on conflict do nothing
    returning 1`;

/** Whether the account with this id was deleted. */
export const isDeletionNoted = (db: Db, user_id: string): Promise<boolean> => db.getRepository(AccountDeletionEntity).existsBy({ user_id });

/** Returns the deleted accounts whose ids come after the given one, in the order of their ids. */
export function deletionsAfter(db: Db, user_id: string, limit: number): Promise<string[]> {
  return column<string>(db)`
    select user_id from account_deletion where user_id > ${user_id} order by user_id limit ${limit}`;
}

/** Lets a region make some deletions once more, because its database was restored from an older copy that does not know them. */
export const repeatDeletions = (db: Db, user_ids: readonly string[], region: string, now: Date) =>
  execute(db)`
    update account_deletion set regions_left = array_append(regions_left, ${region}::text), attempts = 0, next_at = ${now}
     where user_id = any(${user_ids}::text[]) and regions_left is not null and ${region} <> all(regions_left)`;
