import { execute, many, type Db } from '@codase/runtime/db';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';
import { EnrolmentEntity } from './enrolment.entity.ts';

/** An enrolment that an earlier version kept at the front door. */
export type OldEnrolment = EnrolmentEntity & { connection_id: string };

/** Takes some enrolments out of the table, so that two front doors never hold the same one. */
export const takeOldEnrolments = (db: Db, limit: number): Promise<OldEnrolment[]> =>
  many<OldEnrolment>(db)`
    delete from enrolment where (service_id, person_user_id) in
      (select service_id, person_user_id from enrolment where connection_id is not null
        order by service_id, person_user_id limit ${limit} for update skip locked)
    returning service_id, person_user_id, connection_id, created_at`;

export async function putBackOldEnrolments(db: Db, enrolments: readonly OldEnrolment[]): Promise<void> {
  const column = <K extends keyof OldEnrolment>(name: K) => enrolments.map((one) => one[name]);
  await execute(db)`
    insert into enrolment (service_id, person_user_id, connection_id, created_at)
    select * from unnest(${column('service_id')}::text[], ${column('person_user_id')}::text[], ${column('connection_id')}::text[],
                         ${column('created_at')}::timestamptz[])
        on conflict do nothing`;
}

/** Deletes enrolments whose connection was never known: they are over, since an enrolment ends with its connection. Returns how many. */
export const removeWithoutConnection = async (db: Db, limit: number): Promise<number> =>
  (
    await many(db)`
      delete from enrolment where (service_id, person_user_id) in
        (select service_id, person_user_id from enrolment where connection_id is null limit ${limit})
      returning 1`
  ).length;

/** Deletes all old enrolments after a restore: regions took them over, and persons may have revoked them since. */
export const forgetOldEnrolments = ({ tx }: RestoredFrontDoor) => tx.getRepository(EnrolmentEntity).deleteAll();
