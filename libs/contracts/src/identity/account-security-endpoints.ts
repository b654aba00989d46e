import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Nothing, whole } from '../core/page.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { idOr } from '../core/text.ts';
import {
  BEGINS_SECOND_FACTOR,
  CHANGES_PASSWORD,
  CONFIRMS_EMAIL,
  CONFIRMS_SECOND_FACTOR,
  NEEDS_SECOND_FACTOR,
  REQUESTS_EMAIL,
} from './refusals.ts';
import {
  Code,
  DeletionRequested,
  EmailChangeRequested,
  NewAuthenticator,
  NewCredentials,
  NewEmail,
  Password,
  PasswordAndCode,
  BackupCodes,
  SecondFactor,
  TrustedDevice,
} from './shapes.ts';

/** Routes that only a login at the portal may call, whatever a client was granted. @spec D1-5.8 */
const PORTAL = { tag: 'account', at: ['region'], spec: 'D1-5.8', callers: ['portal'] } as const;

/**
 * The password only signs in. The account key is wrapped under a passphrase that the platform never sees, and is wrapped anew by
 * `PUT /api/profile/keys`. @gap D1-5.8
 */
export const changePassword = endpoint({
  ...PORTAL,
  name: 'change_password',
  method: 'PUT',
  path: '/api/account/password',
  summary: 'Change the password; every other session ends',
  description:
    'Changes the password that one signs in with. Every other session of the account ends, this one goes on, codes that were mailed to ' +
    'delete the account or to change its address count no more, and a mail tells of the change. Wrong passwords are counted as at ' +
    'sign-in. With a second factor, `code` is needed too. The account key stays as it is: its passphrase is another one. If the answer ' +
    'was lost, sign in: with the new password when it was changed.',
  body: NewCredentials,
  status: 204,
  result: Nothing,
  refusals: CHANGES_PASSWORD,
});

export const requestEmailChange = endpoint({
  ...PORTAL,
  name: 'request_email_change',
  method: 'POST',
  path: '/api/account/email',
  summary: 'Ask to change the e-mail address; a code is mailed to the new one',
  description:
    'First step of changing the address that one signs in with: mails a code to the new address, which must be confirmed before ' +
    '`confirm_by`. Nothing changes yet. With a second factor, `code` is needed beside the password. The answer is the same whether ' +
    'another account has the address; only the mail tells. A newer mailed code takes the place of an older one; five are mailed in a day.',
  body: NewEmail,
  status: 202,
  result: EmailChangeRequested,
  refusals: REQUESTS_EMAIL,
});

export const confirmEmailChange = endpoint({
  ...PORTAL,
  name: 'confirm_email_change',
  method: 'POST',
  path: '/api/account/email/confirm',
  summary: 'Change the e-mail address with the code that was mailed',
  description:
    'Changes the address when the mailed code is right: from then on one signs in with the new address alone. A mail to the old address ' +
    'tells of it. Sessions go on, since the password is the same. After five wrong codes ask for a new one.',
  body: z.strictObject({ code: Code }),
  status: 204,
  result: Nothing,
  refusals: CONFIRMS_EMAIL,
});

export const readSecondFactor = endpoint({
  ...PORTAL,
  name: 'read_second_factor',
  method: 'GET',
  path: '/api/account/2fa',
  summary: 'Whether sign-in asks for a second factor',
  description: 'Says whether a code is asked for at sign-in after the password, and how many backup codes are left.',
  status: 200,
  result: SecondFactor,
  refusals: AUTHENTICATED,
});

export const beginSecondFactor = endpoint({
  ...PORTAL,
  name: 'begin_second_factor',
  method: 'POST',
  path: '/api/account/2fa',
  summary: 'Begin to set up an authenticator; shown once',
  description:
    'Makes a secret for an authenticator app and shows it once, as an `otpauth` address. Nothing changes at sign-in before it is ' +
    'confirmed with a first code, until `confirm_by`. A newer secret takes the place of one that was not confirmed.',
  body: z.strictObject({ password: Password }),
  status: 200,
  result: NewAuthenticator,
  refusals: BEGINS_SECOND_FACTOR,
});

/** The answer has backup codes, so that a lost authenticator does not lock its owner out. @gap D1-5.8 */
export const confirmSecondFactor = endpoint({
  ...PORTAL,
  name: 'confirm_second_factor',
  method: 'POST',
  path: '/api/account/2fa/confirm',
  summary: 'Switch the second factor on with a first code; answers the backup codes, once',
  description:
    'Switches the second factor on, when the authenticator gives a right code, and answers ten backup codes. They are shown once: ' +
    'each works once in place of a code, when the authenticator is lost. Sessions go on. A mail tells of it. If the answer was lost, ' +
    'make new backup codes.',
  body: z.strictObject({ code: Code }),
  status: 200,
  result: BackupCodes,
  refusals: CONFIRMS_SECOND_FACTOR,
});

export const renewBackupCodes = endpoint({
  ...PORTAL,
  name: 'renew_backup_codes',
  method: 'POST',
  path: '/api/account/2fa/backup-codes',
  summary: 'Make new backup codes; the old ones count no more',
  description:
    'Answers ten new backup codes, once, in place of all older ones. Needs the password and a code: a code of the authenticator is ' +
    'accepted once, so not the one that signed in.',
  body: PasswordAndCode,
  status: 200,
  result: BackupCodes,
  refusals: NEEDS_SECOND_FACTOR,
});

export const endSecondFactor = endpoint({
  ...PORTAL,
  name: 'end_second_factor',
  method: 'POST',
  path: '/api/account/2fa/disable',
  summary: 'Switch the second factor off',
  description:
    'Switches the second factor off, and forgets authenticator and backup codes. Needs the password and a current code, or a ' +
    'backup code. A mail tells of it.',
  body: PasswordAndCode,
  status: 204,
  result: Nothing,
  refusals: NEEDS_SECOND_FACTOR,
});

/**
 * A company must have no services and no account clients left when it is deleted. Persons delete their account on the phone. @gap D1-5.8
 */
export const requestDeletion = endpoint({
  ...PORTAL,
  name: 'request_deletion',
  method: 'POST',
  path: '/api/account/delete-request',
  summary: 'Ask to delete the account; a code is mailed',
  description:
    'First step of deleting the account of a company: mails a code that must be confirmed before `confirm_by`. Nothing is deleted yet. ' +
    'A company that still has services, account clients or sign-in apps deletes them first. A newer code takes the place of an older ' +
    'one; five are mailed in a day.',
  body: z.strictObject({ password: Password }),
  status: 202,
  result: DeletionRequested,
  refusals: [...WRITES, 'request.invalid', 'account.password_wrong', 'account.in_use', 'account.moving'],
});

export const confirmDeletion = endpoint({
  ...PORTAL,
  name: 'confirm_deletion',
  method: 'POST',
  path: '/api/account/confirm-delete',
  summary: 'Delete the account with the code that was mailed',
  description:
    'Deletes the account with everything in it, when the mailed code is right. It cannot be undone. Every session ends at once and the ' +
    'e-mail address is free again; connections to services end within seconds, or as soon as their region can be reached. After five ' +
    'wrong codes ask for a new one.',
  body: z.strictObject({ code: Code }),
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'request.invalid', 'account.code_invalid', 'account.in_use', 'account.moving'],
});

export const listTrustedDevices = endpoint({
  ...PORTAL,
  name: 'list_trusted_devices',
  method: 'GET',
  path: '/api/account/trusted-devices',
  summary: 'Browsers that may skip the second factor',
  description:
    'The browsers that are not asked for a code for 30 days, because the user chose so when entering one. Trust also ends with a new ' +
    'password or address, and when the second factor is switched off.',
  status: 200,
  result: whole(TrustedDevice),
  refusals: AUTHENTICATED,
});

export const forgetTrustedDevice = endpoint({
  ...PORTAL,
  name: 'forget_trusted_device',
  method: 'DELETE',
  path: '/api/account/trusted-devices/{deviceId}',
  summary: 'Trust a browser no more',
  description: 'Asks that browser for a code again at the next sign-in. Sessions go on: end them below `/api/account/sessions`.',
  params: z.object({ deviceId: idOr('account.device_not_found').describe('The id of a browser, from the list of them') }),
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'account.device_not_found'],
});
