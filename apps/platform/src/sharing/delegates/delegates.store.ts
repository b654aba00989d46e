import { DELEGATES } from '@codase/contracts';
import { forEveryCompany, hasRow, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { Slice } from '../../kit/paging.ts';
import type { DelegationRow } from './delegate-row.ts';
import { DelegateEntity } from './delegate.entity.ts';

/** The classes of the advisory locks by which the delegates of a company, and the delegations to a user, are added one at a time. */
const COMPANY_LOCK = 0x64656c63;
const USER_LOCK = 0x64656c75;

/** Adds a delegate. Returns whether it was added: it is not when the user is a delegate of the company already. */
export const addDelegate = (tx: EntityManager, row: DelegateEntity): Promise<boolean> =>
  hasRow(tx)`
    insert into delegate (delegate_id, company_user_id, delegate_user_id, delegate_type, display_name, public_key, share_code, created_at)
    values (${row.delegate_id}, ${row.company_user_id}, ${row.delegate_user_id}, ${row.delegate_type}, ${row.display_name},
            ${row.public_key}, ${row.share_code}, ${row.created_at})
    on conflict (company_user_id, delegate_user_id) do nothing
    returning 1`;

/** Notes that a user has accepted, and returns the delegate; undefined when the user had done so before. */
export const acceptDelegate = (tx: EntityManager, delegate_id: string, now: Date): Promise<DelegateEntity | undefined> =>
  one<DelegateEntity>(tx)`update delegate set accepted_at = ${now} where delegate_id = ${delegate_id} and accepted_at is null returning *`;

/** Locks the delegates of a company, then the delegations to a user, until the transaction ends. All who add use this order. */
export async function lockAdding(tx: EntityManager, company_user_id: string, delegate_user_id: string): Promise<void> {
  await one(tx)`select pg_advisory_xact_lock(${COMPANY_LOCK}, hashtext(${company_user_id}))`;
  await one(tx)`select pg_advisory_xact_lock(${USER_LOCK}, hashtext(${delegate_user_id}))`;
}

/** How many delegates the company has, and of how many companies of this region the user is a delegate. */
export const countDelegates = async (tx: EntityManager, company_user_id: string, delegate_user_id: string) =>
  (await forEveryCompany(
    () => one<{ of_company: number; of_user: number }>(tx)`
    select (select count(*)::int from delegate where company_user_id = ${company_user_id}) as of_company,
           (select count(*)::int from delegate where delegate_user_id = ${delegate_user_id}) as of_user`,
  ))!;

/** Returns the delegates of a company, the oldest first, and one more than the limit. */
export const listDelegates = (db: Db, company_user_id: string, { limit, after }: Slice): Promise<DelegateEntity[]> =>
  many<DelegateEntity>(db)`
    select * from delegate
     where company_user_id = ${company_user_id}
       and (${after?.id ?? null}::text is null or (created_at, delegate_id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
     order by created_at, delegate_id
     limit ${limit + 1}`;

/** Returns and locks a delegate of the company; undefined when the company has none with that id. */
export const lockDelegate = (tx: EntityManager, company_user_id: string, delegate_id: string): Promise<DelegateEntity | undefined> =>
  one<DelegateEntity>(tx)`select * from delegate where delegate_id = ${delegate_id} and company_user_id = ${company_user_id} for update`;

/** Deletes a delegate, and with it the grants. Returns the deleted row; undefined when there is none. */
export const removeDelegate = (tx: EntityManager, company_user_id: string, delegate_id: string): Promise<DelegateEntity | undefined> =>
  one<DelegateEntity>(tx)`delete from delegate where delegate_id = ${delegate_id} and company_user_id = ${company_user_id} returning *`;

/**
 * Returns the delegations to a user by companies that are at home here, the oldest first. There may be more than the limit when companies
 * have moved here: those are listed when the user has left others, so that a list always fits into a message.
 */
export const listDelegations = (db: Db, delegate_user_id: string): Promise<DelegationRow[]> =>
  many<DelegationRow>(db)`
    select d.*, p.display_name as company_display_name, p.share_code as company_share_code
      from delegate d join profile p on p.user_id = d.company_user_id and p.home <> 'arriving'
     where d.delegate_user_id = ${delegate_user_id}
     order by d.created_at, d.delegate_id
     limit ${DELEGATES.companies_per_user}`;

/** Returns a delegation to a user; undefined when this region has none with that id. */
export const findDelegation = async (db: Db, delegate_user_id: string, delegate_id: string): Promise<DelegateEntity | undefined> =>
  (await db.getRepository(DelegateEntity).findOneBy({ delegate_id, delegate_user_id })) ?? undefined;

/** Returns the ids of all delegations to a user here, each with its company. */
export const listCompaniesOfDelegate = (db: Db, delegate_user_id: string): Promise<{ company_user_id: string; delegate_id: string }[]> =>
  db.getRepository(DelegateEntity).find({
    select: { company_user_id: true, delegate_id: true },
    where: { delegate_user_id },
    order: { company_user_id: 'ASC' },
  });

/** Deletes the delegates of a company whose account was deleted, and returns them. */
export const removeDeletedDelegates = (tx: EntityManager, company_user_id: string): Promise<DelegateEntity[]> =>
  many<DelegateEntity>(tx)`
    delete from delegate d using deleted_account a
     where d.company_user_id = ${company_user_id} and a.user_id = d.delegate_user_id
    returning d.*`;

/** Returns the present names of those users who are at home here. */
export const namesHere = (db: Db, user_ids: readonly string[]) =>
  many<{ user_id: string; display_name: string }>(
    db,
  )`select user_id, display_name from profile where user_id = any(${user_ids}::text[]) and home <> 'arriving'`;
