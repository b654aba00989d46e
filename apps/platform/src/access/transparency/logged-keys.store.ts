import type { ReadKey } from '@codase/contracts';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { AuditPosition } from '../../foundation/audit/index.ts';

/** A key that is to be logged. */
interface WaitingKey extends ReadKey {
  salt: string;
}

/** The entry of the audit that commits to a key. */
interface KeyEntry extends AuditPosition {
  commitment: string;
  entry_salt: string;
}

/** A key of which the log has a leaf, and what opens that leaf. */
interface LoggedKeyRow {
  at: Date;
  salt: string;
  entry_salt: string;
  log: number | null;
  leaf: string | null;
}

/** Returns keys that the audit of this epoch has no entry of: new ones, and all of them after a restore. */
export const waitingKeys = (tx: Db, limit: number): Promise<WaitingKey[]> =>
  many<WaitingKey>(tx)`
    select kind, owner, key_sha256, salt from audit.logged_key where coalesce(epoch, 0) < audit.current_epoch() limit ${limit}`;

/** Adds an entry to the audit for each commitment. Returns where they stand, and their salts. */
export const addKeyEntries = (tx: Db, at: Date, initiator: string, commitments: readonly string[]): Promise<KeyEntry[]> =>
  many<KeyEntry>(tx)`
    insert into audit.entry (at, act, outcome, initiator, details)
    select ${at}, 'key.logged', 'done', ${initiator}, jsonb_build_object('commitment', commitment)
      from unnest(${commitments}::text[]) commitment
    returning epoch, txid, seq, salt as entry_salt, details ->> 'commitment' as commitment`;

/** Notes which entries commit to keys. They have no leaves yet. */
export async function noteEntries(tx: Db, at: Date, noted: readonly (WaitingKey & KeyEntry)[]): Promise<void> {
  const column = <T>(of: (key: WaitingKey & KeyEntry) => T) => noted.map(of);
  await execute(tx)`
    update audit.logged_key k
       set at = ${at}, entry_salt = n.entry_salt, epoch = n.epoch, txid = n.txid, seq = n.seq, log = null, leaf = null
      from unnest(
        ${column(({ kind }) => kind)}::text[],
        ${column(({ owner }) => owner)}::text[],
        ${column(({ key_sha256 }) => key_sha256)}::text[],
        ${column(({ entry_salt }) => entry_salt)}::uuid[],
        ${column(({ epoch }) => epoch)}::integer[],
        ${column(({ txid }) => txid)}::bigint[],
        ${column(({ seq }) => seq)}::bigint[]) as n (kind, owner, key_sha256, entry_salt, epoch, txid, seq)
     where (k.kind, k.owner, k.key_sha256) = (n.kind, n.owner, n.key_sha256)`;
}

/** Notes the leaves of keys, from the one with a number on. */
export const noteLeaves = (tx: Db, log: number, from: number): Promise<unknown> =>
  execute(tx)`
    update audit.logged_key k set log = l.log, leaf = l.number
      from audit.log_leaf l
     where l.log = ${log} and l.number >= ${from} and k.log is null and (k.epoch, k.txid, k.seq) = (l.epoch, l.txid, l.seq)`;

export const findLoggedKey = (db: Db, { kind, owner, key_sha256 }: ReadKey): Promise<LoggedKeyRow | undefined> =>
  one<LoggedKeyRow>(db)`
    select at, salt, entry_salt, log, leaf from audit.logged_key
     where kind = ${kind} and owner = ${owner} and key_sha256 = ${key_sha256}`;
