import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Nothing } from '../core/page.ts';
import { WRITES } from '../core/refusals.ts';
import {
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
import { Code, DeletionRequested, Password } from './shapes.ts';

/** Routes that only a login at the portal may call, whatever a client was granted. @spec D1-5.8 */
const PORTAL = { tag: 'account', at: ['region'], spec: 'D1-5.8', callers: ['portal'] } as const;

/**
 * The password only signs in. The account key is wrapped under a passphrase that the platform never sees, and is wrapped anew by
 * `PUT /api/profile/keys`. @gap D1-5.8
 */
export const changePassword = endpoint({
  ...PORTAL,
  ...CHANGE_PASSWORD,
  name: 'change_password',
  path: '/api/account/password',
  summary: 'Change the password; every other session ends',
});

export const requestEmailChange = endpoint({
  ...PORTAL,
  ...REQUEST_EMAIL_CHANGE,
  name: 'request_email_change',
  path: '/api/account/email',
  summary: 'Ask to change the e-mail address; a code is mailed to the new one',
});

export const confirmEmailChange = endpoint({
  ...PORTAL,
  ...CONFIRM_EMAIL_CHANGE,
  name: 'confirm_email_change',
  path: '/api/account/email/confirm',
  summary: 'Change the e-mail address with the code that was mailed',
});

export const readSecondFactor = endpoint({
  ...PORTAL,
  ...READ_SECOND_FACTOR,
  name: 'read_second_factor',
  path: '/api/account/2fa',
  summary: 'Whether sign-in asks for a second factor',
});

export const beginSecondFactor = endpoint({
  ...PORTAL,
  ...BEGIN_SECOND_FACTOR,
  name: 'begin_second_factor',
  path: '/api/account/2fa',
  summary: 'Begin to set up an authenticator; shown once',
});

/** The answer has backup codes, so that a lost authenticator does not lock its owner out. @gap D1-5.8 */
export const confirmSecondFactor = endpoint({
  ...PORTAL,
  ...CONFIRM_SECOND_FACTOR,
  name: 'confirm_second_factor',
  path: '/api/account/2fa/confirm',
  summary: 'Switch the second factor on with a first code; answers the backup codes, once',
});

export const renewBackupCodes = endpoint({
  ...PORTAL,
  ...RENEW_BACKUP_CODES,
  name: 'renew_backup_codes',
  path: '/api/account/2fa/backup-codes',
  summary: 'Make new backup codes; the old ones count no more',
});

export const endSecondFactor = endpoint({
  ...PORTAL,
  ...END_SECOND_FACTOR,
  name: 'end_second_factor',
  path: '/api/account/2fa/disable',
  summary: 'Switch the second factor off',
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
  ...LIST_TRUSTED_BROWSERS,
  name: 'list_trusted_devices',
  path: '/api/account/trusted-devices',
  summary: 'Browsers that may skip the second factor',
});

export const forgetTrustedDevice = endpoint({
  ...PORTAL,
  ...FORGET_TRUSTED_BROWSER,
  name: 'forget_trusted_device',
  path: '/api/account/trusted-devices/{deviceId}',
  summary: 'Trust a browser no more',
});
