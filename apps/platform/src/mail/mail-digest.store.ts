import { createHash } from 'node:crypto';
import { many, one, sql, type Db } from '@cds/runtime/db';
import { dayOf } from './days.ts';

const hashOf = (recipient: string) => createHash('sha256').update(recipient).digest('base64url');

/**
 * Takes the digest of today for an address; false where somebody has it. Who took it and died leaves it taken: rather a digest less than
 * two in a day, as the alerts wait for the next. @gap D1-2.4
 */
export const takeDigest = async (db: Db, recipient: string, now: Date): Promise<boolean> =>
  (await one(
    db,
    sql`
    insert into mail_digest (day, recipient_hash) values (${dayOf(now)}, ${hashOf(recipient)})
    on conflict do nothing
    returning 1 as taken`,
  )) !== undefined;

/** It was not sent, and may be taken again. */
export const returnDigest = (db: Db, recipient: string, takenAt: Date) =>
  many(db, sql`delete from mail_digest where day = ${dayOf(takenAt)} and recipient_hash = ${hashOf(recipient)}`);

/** Days before today count no more. */
export const deleteOldDigests = (db: Db, now: Date) => many(db, sql`delete from mail_digest where day < ${dayOf(now)}`);

/** The same for every attempt of a day, so that a reader sees it once. */
export const digestId = (recipient: string, now: Date): string => `digest_${dayOf(now)}_${hashOf(recipient)}`;
