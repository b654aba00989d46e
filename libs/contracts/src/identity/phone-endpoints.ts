import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Nothing, whole } from '../core/page.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { idOr, Line } from '../core/text.ts';
import {
  BEGINS_SECOND_FACTOR,
  CHANGES_PASSWORD,
  CONFIRMS_EMAIL,
  CONFIRMS_SECOND_FACTOR,
  NEEDS_SECOND_FACTOR,
  REQUESTS_EMAIL,
} from './refusals.ts';
import {
  AccountKeys,
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

/** Routes that only a phone uses. @gap D1-1 */
const ROUTE = { tag: 'consumer app', at: ['region'], callers: ['person'] } as const;

export const listPhones = endpoint({
  ...ROUTE,
  name: 'list_phones',
  method: 'GET',
  path: '/api/app/trusted-devices',
  spec: 'D1-3.1',
  summary: "The phones a person's cards are pushed to",
  description:
    'The phones that were registered and are still signed in. A phone is as long in the list as its session lasts; `last_seen_at` is ' +
    'when it last renewed its token.',
  status: 200,
  result: whole(TrustedDevice),
  refusals: AUTHENTICATED,
});

/** A new phone gets the person's key, which only the person's passphrase opens. @gap D1-5 */
export const addPhone = endpoint({
  ...ROUTE,
  name: 'add_phone',
  method: 'POST',
  path: '/api/app/trusted-devices',
  spec: 'D1-3.1',
  summary: "Trust this phone, and give it the person's encrypted key",
  description:
    'Registers the phone whose token this is, by a name, and answers the wrapped account key so that the phone can unlock it. The phone ' +
    'is bound to its session: a repeated call gives it another name. A phone that signs in anew registers anew.',
  body: z.strictObject({ name: Line }),
  status: 201,
  result: z.object({ device: TrustedDevice, keys: AccountKeys }),
  refusals: [...WRITES, 'request.invalid', 'account.too_many_devices'],
});

export const removePhone = endpoint({
  ...ROUTE,
  name: 'remove_phone',
  method: 'DELETE',
  path: '/api/app/trusted-devices/{deviceId}',
  spec: 'D1-3.1',
  summary: 'Trust a phone no more',
  description:
    'Ends the session of that phone: its tokens count no more, its stream of events ends within a second, and it gets no more cards. ' +
    'Keys that it has unlocked are on it still.',
  params: z.object({ deviceId: idOr('account.device_not_found').describe('The id of a phone, from the list of them') }),
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'account.device_not_found'],
});

/** The portal is for companies, so a person deletes the account on the phone. @gap D1-5.8 */
export const requestPersonDeletion = endpoint({
  ...ROUTE,
  name: 'request_person_deletion',
  method: 'POST',
  path: '/api/app/delete-request',
  spec: 'D1-5.8',
  summary: 'Ask to delete the account of a person; a code is mailed',
  description:
    'First step of deleting the account: mails a code that must be confirmed before `confirm_by`. Nothing is deleted yet. A newer code ' +
    'takes the place of an older one; five are mailed in a day.',
  body: z.strictObject({ password: Password }),
  status: 202,
  result: DeletionRequested,
  refusals: [...WRITES, 'request.invalid', 'account.password_wrong'],
});

export const confirmPersonDeletion = endpoint({
  ...ROUTE,
  name: 'confirm_person_deletion',
  method: 'POST',
  path: '/api/app/confirm-delete',
  spec: 'D1-5.8',
  summary: 'Delete the account of a person with the code that was mailed',
  description:
    'Deletes the account with everything in it, when the mailed code is right. It cannot be undone. Every session ends at once and the ' +
    'e-mail address is free again. Connections end as if the person had disconnected, and open challenges are revoked, within seconds or ' +
    'as soon as their region can be reached. After five wrong codes ask for a new one.',
  body: z.strictObject({ code: Code }),
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'request.invalid', 'account.code_invalid'],
});

/** The portal is for companies, so a person changes the password on the phone. @gap D1-5.8 */
export const changePersonPassword = endpoint({
  ...ROUTE,
  name: 'change_person_password',
  method: 'PUT',
  path: '/api/app/password',
  spec: 'D1-5.8',
  summary: 'Change the password of a person; every other session ends',
  description:
    'Changes the password that the person signs in with. Every other session ends, this one goes on, codes that were mailed to delete ' +
    'the account or to change its address count no more, and a mail tells of the change. Wrong passwords are counted as at sign-in. ' +
    "With a second factor, `code` is needed too. The person's key stays as it is: its passphrase is another one. If the answer was lost, " +
    'sign in: with the new password when it was changed.',
  body: NewCredentials,
  status: 204,
  result: Nothing,
  refusals: CHANGES_PASSWORD,
});

export const requestPersonEmailChange = endpoint({
  ...ROUTE,
  name: 'request_person_email_change',
  method: 'POST',
  path: '/api/app/email',
  spec: 'D1-5.8',
  summary: 'Ask to change the e-mail address of a person; a code is mailed to the new one',
  description:
    'First step of changing the address that the person signs in with: mails a code to the new address, which must be confirmed before ' +
    '`confirm_by`. Nothing changes yet. With a second factor, `code` is needed beside the password. The answer is the same whether ' +
    'another account has the address; only the mail tells. A newer mailed code takes the place of an older one; five are mailed in a day.',
  body: NewEmail,
  status: 202,
  result: EmailChangeRequested,
  refusals: REQUESTS_EMAIL,
});

export const confirmPersonEmailChange = endpoint({
  ...ROUTE,
  name: 'confirm_person_email_change',
  method: 'POST',
  path: '/api/app/email/confirm',
  spec: 'D1-5.8',
  summary: 'Change the e-mail address of a person with the code that was mailed',
  description:
    'Changes the address when the mailed code is right: from then on the person signs in with the new address alone. A mail to the old ' +
    'address tells of it. Sessions go on, since the password is the same. After five wrong codes ask for a new one.',
  body: z.strictObject({ code: Code }),
  status: 204,
  result: Nothing,
  refusals: CONFIRMS_EMAIL,
});

/** The portal is for companies, so a person sets the second factor up on the phone. @gap D1-5.8 */
export const readPersonSecondFactor = endpoint({
  ...ROUTE,
  name: 'read_person_second_factor',
  method: 'GET',
  path: '/api/app/2fa',
  spec: 'D1-5.8',
  summary: 'Whether sign-in asks a person for a second factor',
  description: 'Says whether a code is asked for at sign-in after the password, and how many backup codes are left.',
  status: 200,
  result: SecondFactor,
  refusals: AUTHENTICATED,
});

export const beginPersonSecondFactor = endpoint({
  ...ROUTE,
  name: 'begin_person_second_factor',
  method: 'POST',
  path: '/api/app/2fa',
  spec: 'D1-5.8',
  summary: 'Begin to set up an authenticator of a person; shown once',
  description:
    'Makes a secret for an authenticator app and shows it once, as an `otpauth` address. Nothing changes at sign-in before it is ' +
    'confirmed with a first code, until `confirm_by`. A newer secret takes the place of one that was not confirmed.',
  body: z.strictObject({ password: Password }),
  status: 200,
  result: NewAuthenticator,
  refusals: BEGINS_SECOND_FACTOR,
});

export const confirmPersonSecondFactor = endpoint({
  ...ROUTE,
  name: 'confirm_person_second_factor',
  method: 'POST',
  path: '/api/app/2fa/confirm',
  spec: 'D1-5.8',
  summary: 'Switch the second factor of a person on with a first code; answers the backup codes, once',
  description:
    'Switches the second factor on, when the authenticator gives a right code, and answers ten backup codes. They are shown once: ' +
    'each works once in place of a code, when the authenticator is lost. Sessions go on. A mail tells of it. If the answer was lost, ' +
    'make new backup codes.',
  body: z.strictObject({ code: Code }),
  status: 200,
  result: BackupCodes,
  refusals: CONFIRMS_SECOND_FACTOR,
});

export const renewPersonBackupCodes = endpoint({
  ...ROUTE,
  name: 'renew_person_backup_codes',
  method: 'POST',
  path: '/api/app/2fa/backup-codes',
  spec: 'D1-5.8',
  summary: 'Make new backup codes of a person; the old ones count no more',
  description:
    'Answers ten new backup codes, once, in place of all older ones. Needs the password and a code: a code of the authenticator is ' +
    'accepted once, so not the one that signed in.',
  body: PasswordAndCode,
  status: 200,
  result: BackupCodes,
  refusals: NEEDS_SECOND_FACTOR,
});

export const endPersonSecondFactor = endpoint({
  ...ROUTE,
  name: 'end_person_second_factor',
  method: 'POST',
  path: '/api/app/2fa/disable',
  spec: 'D1-5.8',
  summary: 'Switch the second factor of a person off',
  description:
    'Switches the second factor off, and forgets authenticator and backup codes. Needs the password and a current code, or a ' +
    'backup code. A mail tells of it.',
  body: PasswordAndCode,
  status: 204,
  result: Nothing,
  refusals: NEEDS_SECOND_FACTOR,
});

export const listPersonTrustedBrowsers = endpoint({
  ...ROUTE,
  name: 'list_person_trusted_browsers',
  method: 'GET',
  path: '/api/app/2fa/trusted-browsers',
  spec: 'D1-5.8',
  summary: 'Browsers of a person that may skip the second factor',
  description:
    'The browsers that are not asked for a code for 30 days, because the person chose so when entering one. Trust also ends with a new ' +
    'password or address, and when the second factor is switched off.',
  status: 200,
  result: whole(TrustedDevice),
  refusals: AUTHENTICATED,
});

export const forgetPersonTrustedBrowser = endpoint({
  ...ROUTE,
  name: 'forget_person_trusted_browser',
  method: 'DELETE',
  path: '/api/app/2fa/trusted-browsers/{deviceId}',
  spec: 'D1-5.8',
  summary: 'Trust a browser of a person no more',
  description: 'Asks that browser for a code again at the next sign-in. Sessions go on: end them below `/api/account/sessions`.',
  params: z.object({ deviceId: idOr('account.device_not_found').describe('The id of a browser, from the list of them') }),
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'account.device_not_found'],
});
