import { column, execute, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { DelegatingCompanyEntity } from './delegate.entity.ts';

/**
 * Notes in the home region of a user that the user may be a delegate of a company. A note without a delegation does no harm. It stays until
 * one of the two accounts is deleted, because a delegation may begin again while an earlier one ends.
 */
export const noteDelegating = (tx: EntityManager, user_id: string, company_user_id: string) =>
  tx.createQueryBuilder().insert().into(DelegatingCompanyEntity).values({ user_id, company_user_id }).orIgnore().execute();

/** Returns the companies that may have the user as a delegate, and live elsewhere. */
export function listDelegatingElsewhere(db: Db, user_id: string): Promise<string[]> {
  return column<string>(db)`
    select d.company_user_id
      from delegating_company d left join profile p on p.user_id = d.company_user_id
     where d.user_id = ${user_id} and (p.home is null or p.home = 'arriving')`;
}

/** Returns the users of this region who have a note of a company. */
export async function listNotedUsers(db: Db, company_user_id: string): Promise<string[]> {
  const rows = await db.getRepository(DelegatingCompanyEntity).find({ where: { company_user_id }, order: { user_id: 'ASC' } });
  return rows.map(({ user_id }) => user_id);
}

export const removeNote = (tx: EntityManager, user_id: string, company_user_id: string) =>
  tx.getRepository(DelegatingCompanyEntity).delete({ user_id, company_user_id });

/** Deletes the notes of a user about companies whose account was deleted. */
export const removeNotesOfDeleted = (tx: EntityManager, user_id: string) =>
  execute(tx)`delete from delegating_company d using deleted_account a where d.user_id = ${user_id} and a.user_id = d.company_user_id`;
