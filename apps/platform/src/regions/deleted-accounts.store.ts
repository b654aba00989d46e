import { Refusal } from '@cds/contracts';
import { many, one, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import { HOME_LOCK } from './home-lock.store.ts';

/** Notes that an account was deleted. The home lock of the user is taken alone: nothing of the user is being written. @gap D1-5.8 */
export const noteDeletedAccount = (tx: EntityManager, user_id: string, deleted_at: Date) =>
  many(tx, sql`insert into deleted_account (user_id, deleted_at) values (${user_id}, ${deleted_at}) on conflict do nothing`);

/** Whether the account was deleted. A run of such a person takes no more writes. @spec D2-4.1 */
export const isDeletedAccount = async (db: Db, user_id: string): Promise<boolean> =>
  (await one(db, sql`select 1 from deleted_account where user_id = ${user_id}`)) !== undefined;

/**
 * Refuses to write something new of an account that was deleted; until the transaction ends it is not deleted here. Wherever the user
 * lives: a request of another region may come late.
 */
export async function holdAccount(tx: EntityManager, user_id: string): Promise<void> {
  await one(tx, sql`select pg_advisory_xact_lock_shared(${HOME_LOCK}, hashtext(${user_id}))`);
  if (await isDeletedAccount(tx, user_id)) throw new Refusal('auth.token_invalid').because('The account was deleted');
}

/** Those of some accounts that are not noted here as deleted. */
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
