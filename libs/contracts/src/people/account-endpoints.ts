import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { Region } from '../core/region.ts';
import { encryptedPrivateKeyOr } from '../core/sealed.ts';
import { Line } from '../core/text.ts';
import { Account, AccountKeys, Language, Password } from '../identity/shapes.ts';
import { Profile } from './shapes.ts';

const ROUTE = { tag: 'account', at: ['region'], spec: 'D1-5.8' } as const;
const OWN = { ...ROUTE, callers: ['account', 'portal', 'person'] } as const;
const PORTAL = { ...ROUTE, callers: ['portal'] } as const;

export const readAccount = endpoint({
  ...OWN,
  name: 'read_account',
  method: 'GET',
  path: '/api/account',
  summary: 'The account behind the token: its level and its region',
  status: 200,
  result: Account,
  refusals: AUTHENTICATED,
});

export const readProfile = endpoint({
  ...OWN,
  name: 'read_profile',
  method: 'GET',
  path: '/api/profile',
  summary: 'What others see of the account',
  status: 200,
  result: Profile,
  refusals: AUTHENTICATED,
});

export const changeProfile = endpoint({
  ...OWN,
  name: 'change_profile',
  method: 'PUT',
  path: '/api/profile',
  summary: 'Change the display name or the language',
  body: z.strictObject({ display_name: Line, language: Language.optional() }),
  status: 200,
  result: Profile,
  refusals: [...WRITES, 'request.invalid'],
});

export const readAccountKeys = endpoint({
  ...PORTAL,
  name: 'read_account_keys',
  method: 'GET',
  path: '/api/profile/keys',
  summary: 'The key pair of the account, its private half encrypted',
  status: 200,
  result: AccountKeys,
  refusals: AUTHENTICATED,
});

/** Keys are never replaced; only the passphrase around the private half may change. @spec D1-6.1 */
export const rewrapAccountKey = endpoint({
  ...PORTAL,
  name: 'rewrap_account_key',
  method: 'PUT',
  path: '/api/profile/keys',
  summary: 'Store the same private key under a new passphrase',
  body: z.strictObject({ password: Password, encrypted_private_key: encryptedPrivateKeyOr('account.key_invalid') }),
  status: 200,
  result: AccountKeys,
  refusals: [...WRITES, 'request.invalid', 'account.password_wrong', 'account.key_invalid'],
});

export const downloadAccountKey = endpoint({
  ...PORTAL,
  name: 'download_account_key',
  method: 'GET',
  path: '/api/account-key',
  spec: 'D1-4.6',
  summary: 'Download the account key, which opens the payloads of encrypting webhooks',
  status: 200,
  result: AccountKeys,
  refusals: AUTHENTICATED,
});

/** Writes pause for the company while its rows are copied; afterwards the old region answers 421. @gap D1-5.6 */
export const migrateRegion = endpoint({
  ...PORTAL,
  name: 'migrate_region',
  method: 'POST',
  path: '/api/profile/migrate-region',
  summary: 'Move the company to another region; tokens keep working',
  body: z.strictObject({ password: Password, region: Region }),
  status: 202,
  result: z.object({ from: Region, to: Region }),
  refusals: [...WRITES, 'request.invalid', 'account.password_wrong', 'account.region_unknown', 'account.moving'],
});
