import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Nothing, page, Paging } from '../core/page.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { Ciphertext, EncryptedPrivateKey, PublicKey, Sealed } from '../core/sealed.ts';
import { Id, idOr } from '../core/text.ts';
import { Code, NewAccountKeys, Password, RecoveryCopy, RecoveryKind } from './shapes.ts';

/**
 * Secrets are shown once. After that only a copy is left, sealed to the company's recovery key. Clients may store such a copy too. Only a
 * login with the password and a mailed code can get one back. @spec D1-5.1 @gap D1-5.1
 */
const ROUTE = { tag: 'recovery', at: ['region'], spec: 'D1-5.1' } as const;
const STORE = { ...ROUTE, callers: ['account', 'portal'] } as const;
const PORTAL = { ...ROUTE, callers: ['portal'] } as const;

export const setRecoveryKey = endpoint({
  ...PORTAL,
  name: 'set_recovery_key',
  method: 'PUT',
  path: '/api/account/recovery-key',
  summary: 'Give the company its recovery key, once',
  description:
    'Stores the recovery key of the company: the public half, and the private half wrapped by the caller. It is set once and never ' +
    'replaced.',
  body: NewAccountKeys,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'request.invalid', 'account.key_invalid', 'account.recovery_key_exists'],
});

export const readRecoveryKey = endpoint({
  ...STORE,
  name: 'read_recovery_key',
  method: 'GET',
  path: '/api/account/recovery-key',
  summary: 'The public key that recovery copies are sealed to',
  description: 'The public key to seal recovery copies to. Not found as long as the company has none: set it at the portal.',
  status: 200,
  result: z.object({ public_key: PublicKey }),
  refusals: [...AUTHENTICATED, 'account.recovery_not_found'],
});

export const storeRecoveryCopy = endpoint({
  ...STORE,
  name: 'store_recovery_copy',
  method: 'POST',
  path: '/api/account/recovery-copies',
  summary: 'Store a sealed copy of a secret; a new one replaces the old',
  description: 'Keeps a copy of a secret that is shown once, sealed to the recovery key. A newer copy of the same secret replaces it.',
  body: z.strictObject({ kind: RecoveryKind, subject_id: Id, value: Sealed }),
  status: 201,
  result: RecoveryCopy,
  refusals: [...WRITES, 'request.invalid', 'contact_data.encryption_required', 'account.recovery_not_found'],
});

export const listRecoveryCopies = endpoint({
  ...STORE,
  name: 'list_recovery_copies',
  method: 'GET',
  path: '/api/account/recovery-copies',
  summary: 'Of which secrets there are copies',
  description: 'Of which secrets there are recovery copies, and from when. The copies themselves are not in it.',
  query: Paging,
  status: 200,
  result: page(RecoveryCopy),
  refusals: [...AUTHENTICATED, 'request.invalid'],
});

export const sendRecoveryCode = endpoint({
  ...PORTAL,
  name: 'send_recovery_code',
  method: 'POST',
  path: '/api/account/recovery-code',
  summary: 'Mail a code to recover a secret with',
  description: 'Mails the code that `recover_secret` asks for. A newer code replaces the one before it.',
  status: 202,
  result: Nothing,
  refusals: WRITES,
  limit: 'token',
});

export const recoverSecret = endpoint({
  ...PORTAL,
  name: 'recover_secret',
  method: 'POST',
  path: '/api/account/recovery-copies/{copyId}/recover',
  summary: 'Get a sealed copy back, and the wrapped key that opens it',
  description:
    'Gives a sealed copy back together with the wrapped recovery key, for the password and the mailed code. Opening both is the ' +
    "caller's work; the platform cannot.",
  params: z.object({ copyId: idOr('account.recovery_not_found').describe('The id of a recovery copy, from the list of them') }),
  body: z.strictObject({ password: Password, code: Code }),
  status: 200,
  result: z.object({ value: Ciphertext, encrypted_private_key: EncryptedPrivateKey }),
  refusals: [...WRITES, 'request.invalid', 'account.recovery_not_found', 'account.password_wrong', 'account.code_invalid'],
  limit: 'token',
});
