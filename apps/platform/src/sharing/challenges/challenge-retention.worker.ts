import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { sql, type Db } from '@codase/runtime/db';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { Retention } from '../../kit/workers/retention.service.ts';
import { METRICS } from './metrics.ts';
import { CHALLENGE_LIMITS, type ChallengeLimits } from './raise-limits.ts';

/** Deletes challenges whose outcome nobody can read any more. By then their idempotency keys are forgotten too. @gap D1-3.1 */
@Injectable()
export class ChallengeRetention extends Retention {
  constructor(
    @Inject(REGION_DB) db: Db,
    @Inject(CHALLENGE_LIMITS) { outcome_hours }: ChallengeLimits,
    @Inject(OwnMode) mode: Pick<OwnMode, 'isPaused'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    const before = () => new Date(clock.now().getTime() - outcome_hours * 60 * 60 * 1000);
    super(db, log, {
      name: 'challenge_retention',
      expired: (most) => expiredChallenges(before(), most),
      deleted: METRICS.deleted,
      isPaused: () => mode.isPaused(),
    });
  }
}

/** Deletes challenges that ended before a moment, but none of a company that has begun to move: its rows are copied as they are. */
const expiredChallenges = (before: Date, most: number) => sql`
  delete from challenge where challenge_id in
    (select challenge_id from challenge where completed_at <= ${before} order by completed_at limit ${most} for update skip locked)
     and exists (select from hold_homes(array[company_user_id]))
  returning 1`;
