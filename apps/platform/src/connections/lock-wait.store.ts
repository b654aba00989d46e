import { many, one, sql } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';

/** How long a change waits for those before it: less than whoever asks for it does. */
export const LOCK_WAIT_MS = 2000;

/** The class of the locks that let one customer's writes wait for each other. */
const CUSTOMER_LOCK = 0x63757374;

/** From here on no statement of the transaction waits longer for a lock. */
export const waitAtMost = (tx: EntityManager, ms: number) => many(tx, sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`);

/** A customer's own writes come one after the other. */
export async function lockCustomer(tx: EntityManager, user_id: string): Promise<void> {
  await waitAtMost(tx, LOCK_WAIT_MS);
  await one(tx, sql`select pg_advisory_xact_lock(${CUSTOMER_LOCK}, hashtext(${user_id}))`);
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Whether a lock was not to be had in time. */
export const isHeldUp = (error: unknown): boolean => (error as { code?: string } | null)?.code === LOCK_NOT_AVAILABLE;
