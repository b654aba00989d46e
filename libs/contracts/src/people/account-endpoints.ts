import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Region } from '../core/region.ts';
import { encryptedPrivateKeyOr } from '../core/sealed.ts';
import { Line } from '../core/text.ts';
import { NEEDS_PASSWORD } from '../identity/credentials-parts.ts';
import { Account, AccountKeys, Language, PasswordAgain } from '../identity/shapes.ts';
import { Profile } from './shapes.ts';

const ROUTE = { tag: 'account', at: ['region'], spec: 'D1-5.8' } as const;
const OWN = { ...ROUTE, callers: ['account', 'portal', 'person'] } as const;
const PORTAL = { ...ROUTE, callers: ['portal'] } as const;

export const readAccount = endpoint('read_account', 'GET /api/account', {
  ...OWN,
  summary: 'The account behind the token: its level and its region',
  description: 'The account of the token: its type, level and home region.',
  result: Account,
});

export const readProfile = endpoint('read_profile', 'GET /api/profile', {
  ...OWN,
  summary: 'What others see of the account',
  description: 'What others see: display name, language, share code.',
  result: Profile,
});

export const changeProfile = endpoint('change_profile', 'PUT /api/profile', {
  ...OWN,
  summary: 'Change the display name or the language',
  description: 'Sets the display name, and the language that documents are chosen by.',
  body: z.strictObject({ display_name: Line, language: Language.optional() }),
  result: Profile,
  refusals: ['request.invalid'],
});

export const readAccountKeys = endpoint('read_account_keys', 'GET /api/profile/keys', {
  ...PORTAL,
  summary: 'The key pair of the account, its private half encrypted',
  description: 'The public key and the wrapped private key of the account, so that a browser can unlock it with the passphrase.',
  result: AccountKeys,
});

/** Keys are never replaced; only the passphrase around the private half may change. @spec D1-6.1 */
export const rewrapAccountKey = endpoint('rewrap_account_key', 'PUT /api/profile/keys', {
  ...PORTAL,
  summary: 'Store the same private key under a new passphrase',
  description:
    'Stores the same private key wrapped under a new passphrase. The key pair itself never changes. The password is asked for again, ' +
    'with a code where the second factor is on.',
  body: PasswordAgain.extend({ encrypted_private_key: encryptedPrivateKeyOr('account.key_invalid') }),
  result: AccountKeys,
  refusals: [...NEEDS_PASSWORD, 'account.key_invalid'],
});

export const downloadAccountKey = endpoint('download_account_key', 'GET /api/account-key', {
  ...PORTAL,
  spec: 'D1-4.6',
  summary: 'Download the account key, which opens the payloads of encrypting webhooks',
  description:
    'The wrapped account key as a download. It opens the bodies of webhooks with `encrypt_payload`, and what is sealed to the ' +
    'company as a customer.',
  result: AccountKeys,
});

/** Writes pause for the company while its rows are copied; afterwards the old region answers 421. @gap D1-5.6 */
export const migrateRegion = endpoint('migrate_region', 'POST /api/profile/migrate-region', {
  ...PORTAL,
  summary: 'Move the company to another region; tokens keep working',
  description:
    'Begins to move the company to another region. Its writes are paused for moments while rows are copied; afterwards the old ' +
    'region answers 421 with the new base. Tokens keep working, and nothing is lost. One move at a time. With a second ' +
    'factor, `code` is needed beside the password.',
  body: PasswordAgain.extend({ region: Region }),
  status: 202,
  result: z.object({ from: Region, to: Region }),
  refusals: [...NEEDS_PASSWORD, 'account.region_unknown', 'account.moving'],
});
