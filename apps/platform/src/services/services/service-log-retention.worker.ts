import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { sql, type Db } from '@codase/runtime/db';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { Retention } from '../../kit/workers/retention.service.ts';
import { METRICS } from './metrics.ts';

export const SERVICE_LOG_DAYS = Symbol('days that the log of a service is kept');

/** Deletes old entries of the logs of services. A log is for the owner of the service to read; it is not the audit. @gap D1-4.7 */
@Injectable()
export class ServiceLogRetention extends Retention {
  constructor(
    @Inject(REGION_DB) db: Db,
    @Inject(SERVICE_LOG_DAYS) days: number,
    @Inject(OwnMode) mode: Pick<OwnMode, 'isPaused'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    const before = () => new Date(clock.now().getTime() - days * 24 * 60 * 60 * 1000);
    const expired = (most: number) => expiredEntries(before(), most);
    super(db, log, {
      name: 'service_log_retention',
      expired,
      deleted: METRICS.logEntriesDeleted,
      isPaused: () => mode.isPaused(),
    });
  }
}

/** Deletes no entries of a company that has begun to move: its rows are copied as they are. */
const expiredEntries = (before: Date, most: number) => sql`
  delete from service_log where log_id in
    (select log_id from service_log where at < ${before} order by at limit ${most} for update skip locked)
     and exists (select from hold_homes(array[company_user_id]))
  returning 1`;
