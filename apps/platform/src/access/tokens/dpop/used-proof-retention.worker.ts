import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { sql, type Db } from '@codase/runtime/db';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { Retention } from '../../../kit/workers/retention.service.ts';
import { METRICS } from '../metrics.ts';
import { USED_PROOFS_DB } from './used-proofs.store.ts';

/** Deletes the proofs that are too old to be used again. */
@Injectable()
export class UsedProofRetention extends Retention {
  constructor(@Inject(USED_PROOFS_DB) db: Db, @Inject(CLOCK) clock: Clock, @Inject(LOG) log: Log) {
    const expired = (most: number) => expiredProofs(clock.now(), most);
    super(db, log, { name: 'used_proof_retention', expired, deleted: METRICS.usedProofsDeleted });
  }
}

/** There is no index by time, because each proof would write it: the table has the proofs of two minutes. */
const expiredProofs = (now: Date, most: number) => sql`
  delete from used_proof where proof_hash in
    (select proof_hash from used_proof where expires_at < ${now} limit ${most} for update skip locked)
  returning 1`;
