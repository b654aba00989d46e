import { execute, many, type Db } from '@codase/runtime/db';
import type { OutboxRows, OutgoingEvent } from '../../../kit/outbox/home-outbox.service.ts';

/** A content to which nothing refers any more. A trigger writes this row when the file ends; `event_id` is the id of the file. */
export interface Release extends OutgoingEvent {
  user_id: string;
}

export const releaseRows = (db: Db): OutboxRows<Release> => ({
  claim: (now, until, most) => many<Release>(db)`
    update flow_run_release set attempts = attempts + 1, next_at = ${until}
     where file_id in (select file_id from flow_run_release where next_at <= ${now} order by next_at limit ${most} for update skip locked)
    returning file_id as event_id, user_id, attempts`,
  remove: (file_ids) => execute(db)`delete from flow_run_release where file_id = any (${file_ids})`,
  postpone: (file_ids, next_at) => execute(db)`update flow_run_release set next_at = ${next_at} where file_id = any (${file_ids})`,
  giveUp: (before) => many(db)`delete from flow_run_release where created_at <= ${before} returning 1`,
});
