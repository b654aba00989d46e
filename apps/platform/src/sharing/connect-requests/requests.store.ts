import { column, execute, forEveryCompany, many, one, sql, type Db, type Sql } from '@codase/runtime/db';
import { IsNull, MoreThan, type EntityManager } from 'typeorm';
import type { HomeState } from '../../foundation/regions/index.ts';
import { ConnectRequestEntity } from './connect-request.entity.ts';

/** The class of the advisory locks of persons who are being asked, or who connect. */
const PERSON_LOCK = 0x61736b65;

/**
 * Locks a person until the transaction ends. All services of the region ask the person one after the other, so that every request is
 * counted in time, and none is made while the person connects.
 */
export const lockInvitedPerson = (tx: EntityManager, person_user_id: string) =>
  one(tx)`select pg_advisory_xact_lock(${PERSON_LOCK}, hashtext(${person_user_id}))`;

/** Returns the request that a service made to a person before, and locks it. */
export const lockRequestTo = (tx: EntityManager, service_id: string, person_user_id: string): Promise<ConnectRequestEntity | undefined> =>
  one<ConnectRequestEntity>(tx)`
    select * from connect_request where service_id = ${service_id} and person_user_id = ${person_user_id} for update`;

/** How many requests of this region wait for a person. */
export async function countOpen(tx: EntityManager, person_user_id: string, forgotten: Date): Promise<number> {
  const open = { person_user_id, rejected_at: IsNull(), asked_at: MoreThan(forgotten) };
  return forEveryCompany(() => tx.getRepository(ConnectRequestEntity).countBy(open));
}

/** Stores a request in place of the one that the service made to the person before. */
export const putRequest = (tx: EntityManager, row: Omit<ConnectRequestEntity, 'rejected_at'>): Promise<unknown> =>
  tx.getRepository(ConnectRequestEntity).upsert({ ...row, rejected_at: null }, ['service_id', 'person_user_id']);

/** A request to a person; undefined when this region has none with that id. */
export const findRequest = async (db: Db, person_user_id: string, request_id: string): Promise<ConnectRequestEntity | undefined> =>
  (await db.getRepository(ConnectRequestEntity).findOneBy({ request_id, person_user_id })) ?? undefined;

/** Returns a request by its id, and locks it. */
export const lockRequest = (tx: EntityManager, request_id: string): Promise<ConnectRequestEntity | undefined> =>
  one<ConnectRequestEntity>(tx)`select * from connect_request where request_id = ${request_id} for update`;

/** The requests that wait for a person, the oldest first. */
export const listOpen = (db: Db, person_user_id: string, forgotten: Date): Promise<ConnectRequestEntity[]> =>
  many<ConnectRequestEntity>(db)`
    select r.* from connect_request r join profile p on p.user_id = r.company_user_id and p.home <> 'arriving'
     where r.person_user_id = ${person_user_id} and r.rejected_at is null and r.asked_at > ${forgotten}
     order by r.asked_at, r.request_id`;

/** Notes that a request was rejected, and deletes its message, which is of no use any more. */
export const rejectRequest = (tx: EntityManager, request_id: string, now: Date) =>
  tx.getRepository(ConnectRequestEntity).update({ request_id }, { rejected_at: now, message: null });

export const removeRequest = (tx: EntityManager, request_id: string) => tx.getRepository(ConnectRequestEntity).delete({ request_id });

/** Returns the companies whose requests to a person this region has, each with its home state. */
export const listAskingCompanies = (db: Db, person_user_id: string) =>
  many<{ company_user_id: string; home: HomeState }>(db)`
    select distinct r.company_user_id, p.home from connect_request r join profile p on p.user_id = r.company_user_id
     where r.person_user_id = ${person_user_id}
     order by 1`;

/** Deletes the requests of a company to a person. */
export const removeRequestsTo = (tx: EntityManager, company_user_id: string, person_user_id: string) =>
  tx.getRepository(ConnectRequestEntity).delete({ company_user_id, person_user_id });

/** Deletes the requests of a company to persons whose account was deleted. */
export const removeRequestsToDeleted = (tx: EntityManager, company_user_id: string) =>
  execute(tx)`
    delete from connect_request r using deleted_account d
     where r.company_user_id = ${company_user_id} and d.user_id = r.person_user_id`;

/** Notes in the person's home region that a company may have asked the person. An unneeded note does no harm. */
export const noteAsking = (db: Db, person_user_id: string, company_user_id: string, now: Date): Promise<unknown> =>
  execute(db)`
    insert into asking_company as a (person_user_id, company_user_id, asked_at)
    select user_id, ${company_user_id}, ${now} from profile where user_id = ${person_user_id}
    on conflict (person_user_id, company_user_id) do update set asked_at = greatest(a.asked_at, excluded.asked_at)`;

/** The companies that may have asked a person, and live elsewhere. */
export function listAskingElsewhere(db: Db, person_user_id: string): Promise<string[]> {
  return column<string>(db)`
    select a.company_user_id
      from asking_company a left join profile p on p.user_id = a.company_user_id
     where a.person_user_id = ${person_user_id} and (p.home is null or p.home = 'arriving')`;
}

/** How much longer a note is kept than its request, because the clocks of two regions differ a little. */
const NOTE_MS = 24 * 60 * 60 * 1000;

/** Deletes forgotten requests and notes, but no request of a company that has begun to move: its rows are copied as they are. */
export const deleteForgotten = (forgotten: Date, most: number): Sql => sql`
  with notes as (
    delete from asking_company where (person_user_id, company_user_id) in
      (select person_user_id, company_user_id from asking_company where asked_at <= ${new Date(forgotten.getTime() - NOTE_MS)}
        limit ${most} for update skip locked))
  delete from connect_request where request_id in
    (select request_id from connect_request where coalesce(rejected_at, asked_at) <= ${forgotten} limit ${most} for update skip locked)
     and exists (select from hold_homes(array[company_user_id]))
  returning 1`;
