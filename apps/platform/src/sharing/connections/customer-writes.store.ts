import { Refusal } from '@codase/contracts';
import { execute, hasRow, one, sql, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';

/** How long a write waits for the writes before it: less than the caller waits for its answer. */
export const LOCK_WAIT_MS = 2000;

/** Bounds how long each further statement of the transaction waits for a lock. */
export const waitAtMost = (tx: EntityManager, ms: number) => execute(tx)`select set_config('lock_timeout', ${`${ms}ms`}, true)`;

/** Codes of Postgres: a lock was not free in time, a deadlock was ended here, and a transaction that met another one. */
const LOCK_FAILURES: readonly (string | undefined)[] = ['55P03', '40P01', '40001'];

/** Whether the error says that other transactions were in the way. The transaction was rolled back, and may succeed when it is repeated. */
export const isLockFailure = (error: unknown): boolean => LOCK_FAILURES.includes((error as { code?: string } | null)?.code);

/** Turns the error of a transaction that others held up into a refusal that asks for a retry; returns every other error as it is. */
export const unavailableWhenLocked = (error: unknown): unknown => (isLockFailure(error) ? new Refusal('service.unavailable') : error);

/**
 * Locks the customer's row until the transaction ends. Returns the moment of the write, which is later than that of every earlier write,
 * whatever the clock says; undefined when a lease is held.
 */
export async function lockCustomer(tx: EntityManager, user_id: string, now: Date): Promise<Date | undefined> {
  await waitAtMost(tx, LOCK_WAIT_MS);
  const locked = await one<{ last_at: Date; is_leased: boolean }>(
    tx,
    sql`
    insert into customer_write as w (customer_user_id, last_at) values (${user_id}, ${now})
    on conflict (customer_user_id) do update set last_at = greatest(excluded.last_at, w.last_at + interval '1 millisecond')
    returning last_at, leased_until > clock_timestamp() as is_leased`,
  );
  return locked!.is_leased ? undefined : locked!.last_at;
}

/**
 * How long a lease lasts, by the clock of the database, which all processes share. Its holder renews it. A holder that died blocks its
 * customer for this long at most, which is less than a write waits for the writes before it. A lease that ran out still belongs to its
 * holder until another write takes it.
 */
export const LEASE_SECONDS = 0.6;
/** Short enough that two renewals may fail before a lease runs out. */
export const RENEW_LEASE_MS = 180;

/** Takes the lease of the customer. Returns the moment of the write; undefined when another write holds the lease. */
export async function takeLease(tx: EntityManager, user_id: string, lease_id: string, now: Date): Promise<Date | undefined> {
  await waitAtMost(tx, LOCK_WAIT_MS);
  const taken = await one<{ last_at: Date }>(tx)`
    insert into customer_write as w (customer_user_id, last_at, lease_id, leased_until)
    values (${user_id}, ${now}, ${lease_id}, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}))
    on conflict (customer_user_id) do update
       set last_at = greatest(excluded.last_at, w.last_at + interval '1 millisecond'),
           lease_id = excluded.lease_id, leased_until = excluded.leased_until
     where w.leased_until <= clock_timestamp()
    returning last_at`;
  return taken?.last_at;
}

/** Prolongs a lease and, in a transaction, locks the row of the customer. Returns whether the lease is still held. */
export const keepLease = (db: Db, user_id: string, lease_id: string): Promise<boolean> =>
  hasRow(db)`
    update customer_write set leased_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
     where customer_user_id = ${user_id} and lease_id = ${lease_id}
    returning customer_user_id`;

export const releaseLease = (db: Db, user_id: string, lease_id: string) =>
  execute(db)`
    update customer_write set lease_id = null, leased_until = '-infinity'
     where customer_user_id = ${user_id} and lease_id = ${lease_id}`;
