import { many, one, sql, type Db } from '@cds/runtime/db';
import { dayOf } from './days.ts';

/** Counts one mail of today for a sender, a recipient or both; false, with nothing counted, where there were as many as may be. */
export const countMail = async (tx: Db, subject: string, most: number, now: Date): Promise<boolean> =>
  (await one(
    tx,
    sql`
    insert into mail_quota as q (day, subject, mails) values (${dayOf(now)}, ${subject}, 1)
    on conflict (day, subject) do update set mails = q.mails + 1 where q.mails < ${most}
    returning 1 as counted`,
  )) !== undefined;

/** Days before today count no more. Rows that somebody else deletes now are left to them. */
export const deleteOldCounts = (tx: Db, now: Date) =>
  many(
    tx,
    sql`
    delete from mail_quota where (day, subject) in (
      select day, subject from mail_quota where day < ${dayOf(now)} order by day, subject limit 100 for update skip locked)`,
  );
