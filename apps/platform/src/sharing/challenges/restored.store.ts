import { many, one, sql } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { TwofaEnrolmentEntity } from './twofa-enrolment.entity.ts';

/**
 * Closes challenges after a restore from an older copy, since nobody knows which answers were given since, nor which outcomes were
 * delivered. Every open challenge is revoked, and no outcome is delivered once more: a service that asks for one gets no yes. Returns how
 * many challenges were closed.
 */
export async function closeAfterRestore(tx: EntityManager, now: Date): Promise<number> {
  const closed = await many(
    tx,
    sql`
    update challenge
       set status = case status when 'pending' then 'revoked' else status end, completed_at = coalesce(completed_at, ${now}),
           consumed_at = ${now}, context = null, digits = null
     where consumed_at is null
    returning 1`,
  );
  return closed.length;
}

/** Deletes an enrolment that was revoked after the copy was made; undefined when there is none. */
export const revokeAgain = (tx: EntityManager, enrolment_id: string): Promise<TwofaEnrolmentEntity | undefined> =>
  one<TwofaEnrolmentEntity>(tx, sql`delete from twofa_enrolment where enrolment_id = ${enrolment_id} returning *`);
