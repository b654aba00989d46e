import { many, one } from '@codase/runtime/db';
import type { RestoredRegion } from '../../kit/after-restore.service.ts';
import type { TwofaEnrolmentEntity } from './challenge.entity.ts';

/** Revokes enrolments again that were revoked after the copy was made. */
export async function revokeEnrolmentsAgain({ tx, acts, report, record }: RestoredRegion): Promise<void> {
  report.enrolments_revoked = await acts.each('enrolment.revoked', async (enrolment_id) => {
    const enrolment = await one<TwofaEnrolmentEntity>(tx)`delete from twofa_enrolment where enrolment_id = ${enrolment_id} returning *`;
    if (!enrolment) return false;
    await record({ act: 'enrolment.revoked', account_id: enrolment.company_user_id, object: enrolment_id });
    return true;
  });
}

/**
 * Closes all challenges, since nobody knows which answers were given after the copy was made, nor which outcomes were delivered. Every open
 * challenge is revoked, and no outcome is delivered once more: a service that asks for one gets no yes.
 */
export async function closeChallenges({ tx, now, report }: RestoredRegion): Promise<void> {
  const closed = await many(tx)`
    update challenge
       set status = case status when 'pending' then 'revoked' else status end, completed_at = coalesce(completed_at, ${now}),
           consumed_at = ${now}, context = null, digits = null
     where consumed_at is null
    returning 1`;
  report.challenges_closed = closed.length;
}
