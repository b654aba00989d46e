import { execute, one, type Db } from '@codase/runtime/db';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the day of a moment, in UTC. */
export const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

/** Returns when the next day begins, in UTC. */
export const nextDay = (now: Date): Date => new Date(Date.parse(dayOf(now)) + DAY_MS);

/** Counts one mail of today for a sender, a recipient or both. Returns false, and counts nothing, when the limit is reached. */
export const countMail = async (tx: Db, subject: string, most: number, now: Date): Promise<boolean> =>
  (await one(tx)`
    insert into mail_quota as q (day, subject, mails) values (${dayOf(now)}, ${subject}, 1)
    on conflict (day, subject) do update set mails = q.mails + 1 where q.mails < ${most}
    returning 1 as counted`) !== undefined;

/** Deletes counts of days before today. Rows that another transaction is deleting are skipped. */
export const deleteOldCounts = (tx: Db, now: Date) => execute(tx)`
  delete from mail_quota where (day, subject) in (
    select day, subject from mail_quota where day < ${dayOf(now)} order by day, subject limit 100 for update skip locked)`;
