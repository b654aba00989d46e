import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { sql, type Db } from '@codase/runtime/db';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { REGION_DB } from '../../../kit/databases.ts';
import { Retention } from '../../../kit/workers/retention.service.ts';
import { METRICS } from '../metrics.ts';

/** A bucket that was not used for this long is full again, and a full bucket need not be stored. */
const UNUSED_MS = 24 * 60 * 60 * 1000;

/** Deletes the buckets of clients that have not called for a day. */
@Injectable()
export class RateBucketRetention extends Retention {
  constructor(@Inject(REGION_DB) db: Db, @Inject(CLOCK) clock: Clock, @Inject(LOG) log: Log) {
    const before = () => new Date(clock.now().getTime() - UNUSED_MS);
    const expired = (most: number) => unusedBuckets(before(), most);
    super(db, log, { name: 'rate_bucket_retention', expired, deleted: METRICS.rateBucketsDeleted });
  }
}

/** There is no index by age, because every call would have to write it. The table has one row for each client and limit. */
const unusedBuckets = (before: Date, most: number) => sql`
  delete from rate_bucket where key in
    (select key from rate_bucket where at < ${before} limit ${most} for update skip locked)
  returning 1`;
