import type { Enrolment } from '@codase/contracts';
import { hasRow, many, one, prepared, sql, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { TwofaEnrolmentEntity } from './challenge.entity.ts';

/** A person whom a service may challenge, and whether with digits. */
type EnrolledPerson = Pick<TwofaEnrolmentEntity, 'service_id' | 'connection_id' | 'person_user_id' | 'share_code'> & {
  number_matching: boolean;
};

/**
 * Locks the service and the enrolment of the person with a share code until the transaction ends. Undefined when no such person is
 * enrolled, or the service is being deleted. It runs with every challenge, so it reads only what is needed, and is prepared.
 */
export const holdEnrolled = (
  tx: EntityManager,
  { company_user_id, service_id }: Pick<TwofaEnrolmentEntity, 'company_user_id' | 'service_id'>,
  share_code: string,
): Promise<EnrolledPerson | undefined> =>
  one<EnrolledPerson>(
    tx,
    prepared(
      'challenge_hold_enrolled',
      sql`
      select e.service_id, e.connection_id, e.person_user_id, e.share_code, s.number_matching
        from service s join twofa_enrolment e on e.service_id = s.service_id
       where s.service_id = ${service_id} and s.company_user_id = ${company_user_id} and s.transition is distinct from 'deleting'
         and e.share_code = ${share_code}
         for share of s, e`,
    ),
  );

export const findEnrolment = async (db: Db, service_id: string, person_user_id: string): Promise<TwofaEnrolmentEntity | undefined> =>
  (await db.getRepository(TwofaEnrolmentEntity).findOneBy({ service_id, person_user_id })) ?? undefined;

/** Adds an enrolment, one per person per service. An existing one is left as it is. Returns whether it is new. @spec D1-2.10 */
export const addEnrolment = (tx: EntityManager, row: TwofaEnrolmentEntity): Promise<boolean> =>
  hasRow(tx)`
    insert into twofa_enrolment (enrolment_id, company_user_id, service_id, connection_id, person_user_id, share_code, enrolled_at)
    values (${row.enrolment_id}, ${row.company_user_id}, ${row.service_id}, ${row.connection_id}, ${row.person_user_id},
            ${row.share_code}, ${row.enrolled_at})
    on conflict (service_id, person_user_id) do nothing
    returning 1`;

/** Deletes an enrolment, after transactions that raise a challenge through it, so that their challenges are visible afterwards. */
export const removeEnrolment = (tx: EntityManager, connection_id: string): Promise<TwofaEnrolmentEntity | undefined> =>
  one<TwofaEnrolmentEntity>(tx)`delete from twofa_enrolment where connection_id = ${connection_id} returning *`;

/** The services that may ask a person, the oldest enrolment first. */
export async function listEnrolments(db: Db, person_user_id: string): Promise<z.infer<typeof Enrolment>[]> {
  const rows = await many<{ service_id: string; service_name: string; enrolled_at: Date }>(
    db,
    sql`
    select e.service_id, s.name as service_name, e.enrolled_at
      from twofa_enrolment e join service s on s.service_id = e.service_id
      join profile p on p.user_id = e.company_user_id and p.home <> 'arriving'
     where e.person_user_id = ${person_user_id}
     order by e.enrolled_at, e.service_id`,
  );
  return rows.map(({ enrolled_at, ...row }) => ({ ...row, enrolled_at: enrolled_at.toISOString() }));
}
