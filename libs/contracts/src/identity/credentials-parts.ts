import { z } from 'zod';
import { whole } from '../core/page.ts';
import { idOr } from '../core/text.ts';
import {
  BackupCodes,
  Code,
  EmailChangeRequested,
  NewAuthenticator,
  NewCredentials,
  NewEmail,
  Password,
  PasswordAndCode,
  SecondFactor,
  TrustedDevice,
} from './shapes.ts';

// What a company does at the portal, and a person on the phone, with what they sign in with: the password, the e-mail address, the second
// factor and trusted browsers. Only paths and names differ.

/** The refusals of what needs the password, and a code where the second factor is on. @gap D1-5.8 */
export const NEEDS_PASSWORD = ['request.invalid', 'account.password_wrong', 'account.code_required', 'account.code_invalid'] as const;
/** The refusals of a change of the password, at the portal and on the phone. @gap D1-5.8 */
const CHANGES_PASSWORD = [...NEEDS_PASSWORD, 'account.password_weak'] as const;
/** The refusals of a request to change the e-mail address. Only the own address is refused as taken: others are not told of. @gap D1-5.8 */
const REQUESTS_EMAIL = [...NEEDS_PASSWORD, 'account.email_invalid', 'account.email_taken'] as const;
/** The refusals of the steps that set a second factor up, at the portal and on the phone. @gap D1-5.8 */
const BEGINS_SECOND_FACTOR = ['request.invalid', 'account.password_wrong', 'account.second_factor_state'] as const;
const CONFIRMS_SECOND_FACTOR = ['request.invalid', 'account.code_invalid', 'account.second_factor_state'] as const;
/** The refusals of what needs the password and a code of the second factor. @gap D1-5.8 */
const NEEDS_SECOND_FACTOR = [...CONFIRMS_SECOND_FACTOR, 'account.password_wrong'] as const;
/** The refusals of the confirmation of a new e-mail address. @gap D1-5.8 */
const CONFIRMS_EMAIL = ['request.invalid', 'account.code_invalid', 'account.email_taken'] as const;

export const CHANGE_PASSWORD = {
  description:
    'Changes the password that one signs in with. Every other session of the account ends, this one goes on, codes that were mailed to ' +
    'delete the account or to change its address count no more, and a mail tells of the change. Wrong passwords are counted as at ' +
    'sign-in. With a second factor, `code` is needed too. The account key stays as it is: its passphrase is another one. If the answer ' +
    'was lost, sign in: with the new password when it was changed.',
  body: NewCredentials,
  refusals: CHANGES_PASSWORD,
} as const;

export const REQUEST_EMAIL_CHANGE = {
  description:
    'First step of changing the address that one signs in with: mails a code to the new address, which must be confirmed before ' +
    '`confirm_by`. Nothing changes yet. With a second factor, `code` is needed beside the password. The answer is the same whether ' +
    'another account has the address; only the mail tells. A newer mailed code takes the place of an older one; five are mailed in a day.',
  body: NewEmail,
  status: 202,
  result: EmailChangeRequested,
  refusals: REQUESTS_EMAIL,
} as const;

export const CONFIRM_EMAIL_CHANGE = {
  description:
    'Changes the address when the mailed code is right: from then on one signs in with the new address alone. A mail to the old address ' +
    'tells of it. Sessions go on, since the password is the same. After five wrong codes ask for a new one.',
  body: z.strictObject({ code: Code }),
  refusals: CONFIRMS_EMAIL,
} as const;

export const READ_SECOND_FACTOR = {
  description: 'Says whether a code is asked for at sign-in after the password, and how many backup codes are left.',
  result: SecondFactor,
} as const;

export const BEGIN_SECOND_FACTOR = {
  description:
    'Makes a secret for an authenticator app and shows it once, as an `otpauth` address. Nothing changes at sign-in before it is ' +
    'confirmed with a first code, until `confirm_by`. A newer secret takes the place of one that was not confirmed.',
  body: z.strictObject({ password: Password }),
  result: NewAuthenticator,
  refusals: BEGINS_SECOND_FACTOR,
} as const;

export const CONFIRM_SECOND_FACTOR = {
  description:
    'Switches the second factor on, when the authenticator gives a right code, and answers ten backup codes. They are shown once: ' +
    'each works once in place of a code, when the authenticator is lost. Sessions go on. A mail tells of it. If the answer was lost, ' +
    'make new backup codes.',
  body: z.strictObject({ code: Code }),
  result: BackupCodes,
  refusals: CONFIRMS_SECOND_FACTOR,
} as const;

export const RENEW_BACKUP_CODES = {
  description:
    'Answers ten new backup codes, once, in place of all older ones. Needs the password and a code: a code of the authenticator is ' +
    'accepted once, so not the one that signed in.',
  body: PasswordAndCode,
  result: BackupCodes,
  refusals: NEEDS_SECOND_FACTOR,
} as const;

export const END_SECOND_FACTOR = {
  description:
    'Switches the second factor off, and forgets authenticator and backup codes. Needs the password and a current code, or a ' +
    'backup code. A mail tells of it.',
  body: PasswordAndCode,
  refusals: NEEDS_SECOND_FACTOR,
} as const;

export const LIST_TRUSTED_BROWSERS = {
  description:
    'The browsers that are not asked for a code for 30 days, because the user chose so when entering one. Trust also ends with a new ' +
    'password or address, and when the second factor is switched off.',
  result: whole(TrustedDevice),
} as const;

export const FORGET_TRUSTED_BROWSER = {
  description: 'Asks that browser for a code again at the next sign-in. Sessions go on: end them below `/api/account/sessions`.',
  params: z.object({ deviceId: idOr('account.device_not_found').describe('The id of a browser, from the list of them') }),
  refusals: ['account.device_not_found'],
} as const;
