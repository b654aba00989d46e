import { Inject, Injectable } from '@nestjs/common';
import { ACCESS_TOKEN_SECONDS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { many, sql, type Db, type Sql } from '@codase/runtime/db';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { EXPIRED_ROWS, type ExpiredRows } from './expired-rows.hook.ts';
import { METRICS } from './metrics.ts';

const EVERY_MS = 60_000;
const BATCH = 1000;
const BATCHES = 20;

/** Deletes grants, and rows of other capabilities, that can no longer be used. Replicas skip rows that another one has locked. */
@Injectable()
export class ExpiredGrants extends PeriodicWorker {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: Db,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
    @Inject(EXPIRED_ROWS) private readonly expiredRows: readonly ExpiredRows[],
  ) {
    super({ name: 'expired_grants', everyMs: EVERY_MS, failure: 'clean-up failed' }, log);
  }

  /** Returns how many rows were deleted. A used token stays until it would have expired, so that its second use is noticed. */
  async round(): Promise<number> {
    const now = this.clock.now();
    const oldest = new Date(now.getTime() - ACCESS_TOKEN_SECONDS * 1000);
    let deleted = 0;
    for (const expired of [codes(now), refreshTokens(now)]) deleted += await this.delete(expired);
    for (const rows of this.expiredRows) deleted += await this.delete(rows.deleteExpired(now, BATCH), rows);
    deleted += await this.delete(emptySessions(oldest));
    if (deleted > 0) count(METRICS.grantsSwept, {}, deleted);
    return deleted;
  }

  /** Deletes in batches, so that no statement locks many rows. Rows that are left after the last batch wait for the next round. */
  private async delete(expired: Sql, of?: ExpiredRows): Promise<number> {
    let deleted = 0;
    for (let batch = 0; batch < BATCHES; batch++) {
      const rows = await many(this.db, expired);
      deleted += rows.length;
      of?.wereDeleted?.(rows);
      if (rows.length < BATCH) break;
    }
    return deleted;
  }
}

const codes = (now: Date) => sql`
  delete from authorization_code where code_hash in
    (select code_hash from authorization_code where expires_at <= ${now} limit ${BATCH} for update skip locked)
  returning 1`;

const refreshTokens = (now: Date) => sql`
  delete from refresh_token where token_hash in
    (select token_hash from refresh_token where expires_at <= ${now} limit ${BATCH} for update skip locked)
  returning 1`;

/** Sessions without a code or refresh token, and so old that their access tokens have expired too. */
const emptySessions = (oldest: Date) => sql`
  delete from session where session_id in
    (select session_id from session s
      where created_at <= ${oldest}
        and not exists (select from authorization_code where session_id = s.session_id)
        and not exists (select from refresh_token where session_id = s.session_id)
      limit ${BATCH} for update skip locked)
  returning 1`;
