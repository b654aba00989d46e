import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import {
  NEEDS_PASSWORD,
  BEGIN_SECOND_FACTOR,
  CHANGE_PASSWORD,
  CONFIRM_EMAIL_CHANGE,
  CONFIRM_SECOND_FACTOR,
  END_SECOND_FACTOR,
  FORGET_TRUSTED_BROWSER,
  LIST_TRUSTED_BROWSERS,
  READ_SECOND_FACTOR,
  RENEW_BACKUP_CODES,
  REQUEST_EMAIL_CHANGE,
} from './credentials-parts.ts';
import { Code, DeletionRequested, PasswordAgain } from './shapes.ts';

/** Routes that only a login at the portal may call, whatever a client was granted. @spec D1-5.8 */
const PORTAL = { tag: 'account', at: ['region'], spec: 'D1-5.8', callers: ['portal'] } as const;

/** The password only signs in. The account key is wrapped under a passphrase, anew by `PUT /api/profile/keys`. @gap D1-5.8 */
export const changePassword = endpoint('change_password', 'PUT /api/account/password', {
  ...PORTAL,
  ...CHANGE_PASSWORD,
  summary: 'Change the password; every other session ends',
});

export const requestEmailChange = endpoint('request_email_change', 'POST /api/account/email', {
  ...PORTAL,
  ...REQUEST_EMAIL_CHANGE,
  summary: 'Ask to change the e-mail address; a code is mailed to the new one',
});

export const confirmEmailChange = endpoint('confirm_email_change', 'POST /api/account/email/confirm', {
  ...PORTAL,
  ...CONFIRM_EMAIL_CHANGE,
  summary: 'Change the e-mail address with the code that was mailed',
});

export const readSecondFactor = endpoint('read_second_factor', 'GET /api/account/2fa', {
  ...PORTAL,
  ...READ_SECOND_FACTOR,
  summary: 'Whether sign-in asks for a second factor',
});

export const beginSecondFactor = endpoint('begin_second_factor', 'POST /api/account/2fa', {
  ...PORTAL,
  ...BEGIN_SECOND_FACTOR,
  summary: 'Begin to set up an authenticator; shown once',
});

/** The answer has backup codes, so that a lost authenticator does not lock its owner out. @gap D1-5.8 */
export const confirmSecondFactor = endpoint('confirm_second_factor', 'POST /api/account/2fa/confirm', {
  ...PORTAL,
  ...CONFIRM_SECOND_FACTOR,
  summary: 'Switch the second factor on with a first code; answers the backup codes, once',
});

export const renewBackupCodes = endpoint('renew_backup_codes', 'POST /api/account/2fa/backup-codes', {
  ...PORTAL,
  ...RENEW_BACKUP_CODES,
  summary: 'Make new backup codes; the old ones count no more',
});

export const endSecondFactor = endpoint('end_second_factor', 'POST /api/account/2fa/disable', {
  ...PORTAL,
  ...END_SECOND_FACTOR,
  summary: 'Switch the second factor off',
});

/** A company has no services and no account clients left when it is deleted. Persons delete theirs on the phone. @gap D1-5.8 */
export const requestDeletion = endpoint('request_deletion', 'POST /api/account/delete-request', {
  ...PORTAL,
  summary: 'Ask to delete the account; a code is mailed',
  description:
    'First step of deleting the account of a company: mails a code that must be confirmed before `confirm_by`. Nothing is deleted yet. ' +
    'With a second factor, `code` is needed beside the password. ' +
    'A company that still has services, account clients or sign-in apps deletes them first. A newer code takes the place of an older ' +
    'one; five are mailed in a day.',
  body: PasswordAgain,
  status: 202,
  result: DeletionRequested,
  refusals: [...NEEDS_PASSWORD, 'account.in_use', 'account.moving'],
});

export const confirmDeletion = endpoint('confirm_deletion', 'POST /api/account/confirm-delete', {
  ...PORTAL,
  summary: 'Delete the account with the code that was mailed',
  description:
    'Deletes the account with everything in it, when the mailed code is right. It cannot be undone. Every session ends at once and the ' +
    'e-mail address is free again; connections to services end within seconds, or as soon as their region can be reached. After five ' +
    'wrong codes ask for a new one.',
  body: z.strictObject({ code: Code }),
  refusals: ['request.invalid', 'account.code_invalid', 'account.in_use', 'account.moving'],
});

export const listTrustedDevices = endpoint('list_trusted_devices', 'GET /api/account/trusted-devices', {
  ...PORTAL,
  ...LIST_TRUSTED_BROWSERS,
  summary: 'Browsers that may skip the second factor',
});

export const forgetTrustedDevice = endpoint('forget_trusted_device', 'DELETE /api/account/trusted-devices/{deviceId}', {
  ...PORTAL,
  ...FORGET_TRUSTED_BROWSER,
  summary: 'Trust a browser no more',
});
