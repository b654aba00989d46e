import { execute, sql, type Db } from '@codase/runtime/db';
import { accountKeyOf, secondFactorKeyOf } from '../passwords/password-attempts.store.ts';
import type { AccountRow } from './accounts.store.ts';

/**
 * Removes an account with everything that is stored under its id or its e-mail address. Sessions and tokens are deleted with the row, and
 * the address is free again. Pending sign-ups with the address are deleted too: they began while it was taken, so nobody knows their codes.
 * @gap D1-5.8
 */
export async function removeAccount(tx: Db, { user_id, email }: Pick<AccountRow, 'user_id' | 'email'>): Promise<void> {
  const keys = [accountKeyOf(email), secondFactorKeyOf(user_id)];
  await execute(tx, sql`delete from password_failures where account_key = any(${keys}::text[])`);
  await execute(tx, sql`delete from sign_in_address where account_key = any(${keys}::text[])`);
  await execute(tx, sql`delete from pending_sign_up where email = ${email}`);
  await execute(tx, sql`delete from account where user_id = ${user_id}`);
}
