import { createHash } from 'node:crypto';
import { execute, one, type Db } from '@codase/runtime/db';
import { dayOf } from './mail-quota.store.ts';

const hashOf = (recipient: string) => createHash('sha256').update(recipient).digest('base64url');

/**
 * Takes the digest of today for an address. Returns false when a process has already taken it. The digest of a process that died stays
 * taken: one digest less is better than two in a day, and the alerts wait for the next. @gap D1-2.4
 */
export const takeDigest = async (db: Db, recipient: string, now: Date): Promise<boolean> =>
  (await one(db)`
    insert into mail_digest (day, recipient_hash) values (${dayOf(now)}, ${hashOf(recipient)})
    on conflict do nothing
    returning 1 as taken`) !== undefined;

/** Gives back a digest that was not sent, so that it can be taken again. */
export const returnDigest = (db: Db, recipient: string, takenAt: Date) =>
  execute(db)`delete from mail_digest where day = ${dayOf(takenAt)} and recipient_hash = ${hashOf(recipient)}`;

/** Deletes the digests of days before today, which no longer count. */
export const deleteOldDigests = (db: Db, now: Date) => execute(db)`delete from mail_digest where day < ${dayOf(now)}`;

/** Returns the message id of a digest. It is the same for every attempt of a day, so that the recipient sees the digest once. */
export const digestId = (recipient: string, now: Date): string => `digest_${dayOf(now)}_${hashOf(recipient)}`;
