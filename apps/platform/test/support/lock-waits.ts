import { one, sql, type Db } from '@codase/runtime/db';

/** What a statement waits for: an advisory lock, a table, or the end of a transaction that has locked a row. */
export type LockKind = 'advisory' | 'relation' | 'transactionid';

/** How many statements of this database wait for a lock, or for one of a kind. Every role can see this, for other roles too. */
export const lockWaits = async (db: Db, kind: LockKind | null = null): Promise<number> =>
  (await one<{ count: number }>(
    db,
    sql`
    select count(*)::int as count from pg_locks l join pg_stat_activity a using (pid)
     where not l.granted and a.datname = current_database() and (${kind}::text is null or l.locktype = ${kind})`,
  ))!.count;
