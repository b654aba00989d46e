import type { Db } from '@codase/runtime/db';
import { In } from 'typeorm';
import { accountKeyOf, secondFactorKeyOf } from '../passwords/password-attempts.store.ts';
import type { AccountRow } from './accounts.store.ts';
import { AccountEntity } from './account.entity.ts';
import { PasswordFailuresEntity, SignInAddressEntity } from '../passwords/password-failures.entity.ts';
import { PendingSignUpEntity } from '../sign-up/pending-sign-up.entity.ts';

/**
 * Removes an account with everything that is stored under its id or its e-mail address. Sessions and tokens are deleted with the row, and
 * the address is free again. Pending sign-ups with the address are deleted too: they began while it was taken, so nobody knows their codes.
 * @gap D1-5.8
 */
export async function removeAccount(tx: Db, { user_id, email }: Pick<AccountRow, 'user_id' | 'email'>): Promise<void> {
  const keys = [accountKeyOf(email), secondFactorKeyOf(user_id)];
  await tx.getRepository(PasswordFailuresEntity).delete({ account_key: In(keys) });
  await tx.getRepository(SignInAddressEntity).delete({ account_key: In(keys) });
  await tx.getRepository(PendingSignUpEntity).delete({ email });
  await tx.getRepository(AccountEntity).delete({ user_id });
}
