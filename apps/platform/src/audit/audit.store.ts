import { many, sql, type Db } from '@cds/runtime/db';
import type { AuditRow } from './entry.ts';

/** Adds rows, all by one statement. */
export async function addEntries(db: Db, rows: readonly AuditRow[]): Promise<void> {
  const column = <T>(of: (row: AuditRow) => T) => rows.map(of);
  await many(
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
  await many(db, sql`select audit_make_months(${dayOf(first)}::date, ${dayOf(last)}::date)`);
}

export async function dropMonthsBefore(db: Db, before: Date): Promise<void> {
  await many(db, sql`select audit_drop_months(${dayOf(before)}::date)`);
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
