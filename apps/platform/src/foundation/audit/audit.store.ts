import { AUDIT_DONE, type AuditAct } from '@codase/contracts';
import { execute, many, one, sql, type Db } from '@codase/runtime/db';
import { BEGINNING, type AuditPosition } from './cursor.ts';
import type { AuditRow } from './entry.ts';

/** Adds rows, all by one statement. */
export async function addEntries(db: Db, rows: readonly AuditRow[]): Promise<void> {
  const column = <T>(of: (row: AuditRow) => T) => rows.map(of);
  await execute(
    db,
    sql`
    insert into audit.entry (at, act, outcome, initiator, client_id, address, account_id, object, details)
    select * from unnest(
      ${column(({ at }) => at)}::timestamptz[],
      ${column(({ act }) => act)}::text[],
      ${column(({ outcome }) => outcome)}::text[],
      ${column(({ initiator }) => initiator)}::text[],
      ${column(({ client_id }) => client_id)}::text[],
      ${column(({ address }) => address)}::text[],
      ${column(({ account_id }) => account_id)}::text[],
      ${column(({ object }) => object)}::text[],
      ${column(({ details }) => JSON.stringify(details))}::jsonb[])`,
  );
}

export async function makeMonths(db: Db, first: Date, last: Date): Promise<void> {
  await execute(db, sql`select audit_make_months(${dayOf(first)}::date, ${dayOf(last)}::date)`);
}

export async function dropMonthsBefore(db: Db, before: Date): Promise<void> {
  await execute(db, sql`select audit_drop_months(${dayOf(before)}::date)`);
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export interface StoredEntry extends AuditRow, AuditPosition {
  /** Null in rows that are older than the transparency log. */
  salt: string | null;
}

interface EntryFilter {
  from?: string | undefined;
  to?: string | undefined;
  account_id?: string | undefined;
  limit: number;
  /** Only rows that the transparency log commits to. */
  isSalted?: boolean;
}

/**
 * Returns the next rows in the order of their transactions. Rows of a transaction that began after one that is still open are left out,
 * because the open one may yet add rows before them. Rows of an older epoch were numbered by a database that is gone, so all of them are
 * there. Rows of an epoch that has not begun were forged while the app could still do so: behind them nothing would be read any more. The
 * times of such rows are cut to what a date can hold.
 */
export const entriesAfter = (
  db: Db,
  after: AuditPosition,
  { from, to, account_id, limit, isSalted = false }: EntryFilter,
): Promise<StoredEntry[]> =>
  many<StoredEntry>(
    db,
    sql`
    select epoch, txid, seq, greatest(least(at, '9999-12-31T00:00:00Z'), '0001-01-01T00:00:00Z') as at,
           act, outcome, initiator, client_id, address, account_id, object, details, salt
      from audit.entry
     where (epoch, txid, seq) > (${after.epoch}, ${after.txid}::bigint, ${after.seq}::bigint)
       and epoch <= audit.current_epoch()
       and (epoch < audit.current_epoch() or txid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
       and (${from ?? null}::timestamptz is null or at >= ${from ?? null}) and (${to ?? null}::timestamptz is null or at < ${to ?? null})
       and (${account_id ?? null}::text is null or account_id = ${account_id ?? null} or initiator = ${account_id ?? null})
       and (not ${isSalted} or salt is not null)
     order by epoch, txid, seq
     limit ${limit}`,
  );

/**
 * Whether rows between two positions are left out by `entriesAfter` for now, because an older transaction of the database server is open.
 * It may be one of another database.
 */
export const hasWaiting = async (db: Db, after: AuditPosition, until: AuditPosition): Promise<boolean> =>
  (await one(
    db,
    sql`
    select from audit.entry
     where (epoch, txid, seq) > (${after.epoch}, ${after.txid}::bigint, ${after.seq}::bigint)
       and (epoch, txid, seq) <= (${until.epoch}, ${until.txid}::bigint, ${until.seq}::bigint)
       and epoch = audit.current_epoch() and txid >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint
     limit 1`,
  )) !== undefined;

/** Returns the position of the last row of the audit. */
export const lastPosition = async (db: Db): Promise<AuditPosition> =>
  (await one<AuditPosition>(
    db,
    sql`select epoch, txid, seq from audit.entry where epoch <= audit.current_epoch() order by epoch desc, txid desc, seq desc limit 1`,
  )) ?? BEGINNING;

export const currentEpoch = async (db: Db): Promise<number> =>
  (await one<{ epoch: number }>(db, sql`select audit.current_epoch() as epoch`))!.epoch;

/**
 * Returns the time of the newest act; undefined when there is none. An act of the future counts as done when its row was written, give or
 * take the difference of two clocks: who restores a copy would otherwise be told that nothing was done since.
 */
export const timeOfLast = async (db: Db): Promise<Date | undefined> =>
  (await one<{ at: Date | null }>(db, sql`select max(least(at, written_at + interval '1 minute')) as at from audit.entry`))?.at ??
  undefined;

/** Returns the given acts that were done since a moment, the oldest first. */
export const doneSince = (db: Db, acts: readonly AuditAct[], since: Date): Promise<Pick<StoredEntry, 'at' | 'act' | 'object'>[]> =>
  many(db, sql`select at, act, object from audit.entry where at > ${since} and act = any(${acts}) and outcome = ${AUDIT_DONE} order by at`);

/** Whether this role may raise the epoch. */
export const mayRaiseEpoch = async (db: Db): Promise<boolean> =>
  (await one<{ may: boolean }>(db, sql`select has_table_privilege('audit.epoch', 'update') as may`))!.may;

/**
 * Raises the epoch, so that rows from now on come after all that was read of this database, also of newer copies of it. Returns the new
 * epoch. Only the owner of the database may.
 */
export const raiseEpoch = async (db: Db, behind: number): Promise<number> =>
  (await one<{ epoch: number }>(db, sql`select audit_raise_epoch(${behind}) as epoch`))!.epoch;
