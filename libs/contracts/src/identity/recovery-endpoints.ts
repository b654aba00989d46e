import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { page, Paging } from '../core/page.ts';
import { Ciphertext, EncryptedPrivateKey, PublicKey, sealedUpTo } from '../core/sealed.ts';
import { Id, idOr } from '../core/text.ts';
import { NEEDS_PASSWORD } from './credentials-parts.ts';
import { RECOVERY_COPY_CHARS } from './limits.ts';
import { NewAccountKeys, PasswordAndMailedCode, RecoveryCodeSent, RecoveryCopy, RecoveryKind } from './shapes.ts';

/**
 * Secrets are shown once. After that only a copy is left, sealed to the company's recovery key. Clients may store such a copy too. Only a
 * login at the portal with the password and a mailed code can get one back. @spec D1-5.1 @spec D1-5.8 @spec D1-5.9 @gap D1-5.1
 */
const ROUTE = { tag: 'recovery', at: ['region'], spec: 'D1-5.1' } as const;
const STORE = { ...ROUTE, callers: ['account', 'portal'] } as const;
const PORTAL = { ...ROUTE, callers: ['portal'] } as const;

export const setRecoveryKey = endpoint('set_recovery_key', 'PUT /api/account/recovery-key', {
  ...PORTAL,
  summary: 'Give the company its recovery key, once',
  description:
    'Stores the recovery key of the company: the public half, and the private half wrapped under a passphrase that the platform never ' +
    'sees. It is set once and never replaced; the same call may be repeated. Keep the passphrase: without it no copy can be opened, and ' +
    'a reset, which deletes all copies, is the only way on.',
  body: NewAccountKeys,
  refusals: ['request.invalid', 'account.key_invalid', 'account.recovery_key_exists'],
});

export const readRecoveryKey = endpoint('read_recovery_key', 'GET /api/account/recovery-key', {
  ...STORE,
  summary: 'The public key that recovery copies are sealed to',
  description: 'The public key to seal recovery copies to. Not found as long as the company has none: set it at the portal.',
  result: z.object({ public_key: PublicKey }),
  refusals: ['account.recovery_not_found'],
});

export const storeRecoveryCopy = endpoint('store_recovery_copy', 'POST /api/account/recovery-copies', {
  ...STORE,
  summary: 'Store a sealed copy of a secret; at the portal a new one replaces the old',
  description:
    'Keeps a copy of a secret that is shown once, sealed to the recovery key. It is a copy of the secret that its subject has now: store ' +
    'it right after the secret was shown. A new secret of the subject ends the copy. An account client stores copies for services with ' +
    '`service_management`, and for sign-in apps with `oauth_apps`. It replaces none: while the secret stays, only a login at the portal ' +
    'stores another copy in place of one that is there.',
  body: z.strictObject({
    kind: RecoveryKind,
    subject_id: Id.describe('The `client_id` of a client, or the id of a service, a webhook or a sign-in app'),
    value: sealedUpTo(RECOVERY_COPY_CHARS, 'request.invalid'),
  }),
  status: 201,
  result: RecoveryCopy,
  refusals: [
    'request.invalid',
    'contact_data.encryption_required',
    'account.recovery_not_found',
    'account.recovery_subject_not_found',
    'account.recovery_copy_exists',
  ],
});

export const listRecoveryCopies = endpoint('list_recovery_copies', 'GET /api/account/recovery-copies', {
  ...STORE,
  summary: 'Of which secrets there are copies',
  description:
    'Of which secrets there are recovery copies, and from when. The copies themselves are not in it, and neither are copies of secrets ' +
    'that were replaced. So a page may have fewer entries than `limit`; `next_cursor` says whether there are more.',
  query: Paging,
  result: page(RecoveryCopy),
  refusals: ['request.invalid'],
});

export const sendRecoveryCode = endpoint('send_recovery_code', 'POST /api/account/recovery-code', {
  ...PORTAL,
  summary: 'Mail a code to recover a secret with',
  description:
    'Mails a code to the address of the account. Until `expires_at`, for 15 minutes, it opens recovery copies, or resets the recovery ' +
    'key, each time together with the password. It counts for nothing else. A newer code ends the one before it, and so does a change of ' +
    'the password or the address. Ten are mailed in a day.',
  status: 202,
  result: RecoveryCodeSent,
  limit: 'token',
});

export const recoverSecret = endpoint('recover_secret', 'POST /api/account/recovery-copies/{copyId}/recover', {
  ...PORTAL,
  summary: 'Get a sealed copy back, and the wrapped key that opens it',
  description:
    'Gives a sealed copy back together with the wrapped recovery key, for the password and the mailed code. Opening both is the ' +
    "caller's work, with the passphrase of the recovery key; the platform cannot. The call may be repeated, and other copies opened, " +
    'while the code is valid. A mail tells the owner. Wrong passwords are counted as at sign-in; after five wrong codes ask for a new one.',
  params: z.object({ copyId: idOr('account.recovery_not_found').describe('The id of a recovery copy, from the list of them') }),
  body: PasswordAndMailedCode,
  result: z.object({ value: Ciphertext, encrypted_private_key: EncryptedPrivateKey }),
  refusals: [...NEEDS_PASSWORD, 'account.recovery_not_found'],
  limit: 'token',
});

/** The way on when the passphrase of the recovery key is lost. @gap D1-5.1 */
export const resetRecoveryKey = endpoint('reset_recovery_key', 'POST /api/account/recovery-key/reset', {
  ...PORTAL,
  summary: 'Delete the recovery key with all copies, so that another one can be set',
  description:
    'Deletes the recovery key and every recovery copy, for the password and the mailed code. It is for a company that has lost the ' +
    'passphrase of its recovery key: then no copy can be opened any more. Secrets stay as they are. Set another key afterwards, and ' +
    'store copies of the secrets that you still have. A mail tells the owner.',
  body: PasswordAndMailedCode,
  refusals: [...NEEDS_PASSWORD, 'account.recovery_not_found'],
  limit: 'token',
});
