import { Refusal } from '@codase/contracts';
import { many, one, sql, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { HOME_LOCK } from './home-lock.store.ts';
import { DeletedAccountEntity } from './profile.entity.ts';

/**
 * Notes that an account was deleted. The caller has taken the home lock of the user exclusively, so no row of the user is being written.
 * @gap D1-5.8
 */
export const noteDeletedAccount = (tx: EntityManager, user_id: string, deleted_at: Date) =>
  tx.createQueryBuilder().insert().into(DeletedAccountEntity).values({ user_id, deleted_at }).orIgnore().execute();

/** Whether the account was deleted. A run of a person whose account was deleted takes no more writes. @spec D2-4.1 */
export const isDeletedAccount = async (db: Db, user_id: string): Promise<boolean> =>
  (await one(db, sql`select 1 from deleted_account where user_id = ${user_id}`)) !== undefined;

/**
 * Refuses to write something new for an account that was deleted, and keeps it from being deleted here until the transaction ends. It is
 * called wherever the user lives, since a request of another region may come late.
 */
export async function holdAccount(tx: EntityManager, user_id: string): Promise<void> {
  await one(tx, sql`select pg_advisory_xact_lock_shared(${HOME_LOCK}, hashtext(${user_id}))`);
  if (await isDeletedAccount(tx, user_id)) throw new Refusal('auth.token_invalid').because('The account was deleted');
}

/** Returns those of the accounts that are not noted here as deleted. */
export async function unknownDeletions(db: Db, user_ids: readonly string[]): Promise<string[]> {
  const rows = await many<{ user_id: string }>(
    db,
    sql`
    select user_id from unnest(${user_ids}::text[]) as u (user_id)
     where not exists (select from deleted_account d where d.user_id = u.user_id)
     order by user_id`,
  );
  return rows.map(({ user_id }) => user_id);
}
