import { endpoint } from '../core/endpoint.ts';
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

/** Routes that only a phone uses: the portal is for companies. @gap D1-5.8 */
const PHONE = { tag: 'consumer app', at: ['region'], spec: 'D1-5.8', callers: ['person'] } as const;

export const changePersonPassword = endpoint('change_person_password', 'PUT /api/app/password', {
  ...PHONE,
  ...CHANGE_PASSWORD,
  summary: 'Change the password of a person; every other session ends',
});

export const requestPersonEmailChange = endpoint('request_person_email_change', 'POST /api/app/email', {
  ...PHONE,
  ...REQUEST_EMAIL_CHANGE,
  summary: 'Ask to change the e-mail address of a person; a code is mailed to the new one',
});

export const confirmPersonEmailChange = endpoint('confirm_person_email_change', 'POST /api/app/email/confirm', {
  ...PHONE,
  ...CONFIRM_EMAIL_CHANGE,
  summary: 'Change the e-mail address of a person with the code that was mailed',
});

export const readPersonSecondFactor = endpoint('read_person_second_factor', 'GET /api/app/2fa', {
  ...PHONE,
  ...READ_SECOND_FACTOR,
  summary: 'Whether sign-in asks a person for a second factor',
});

export const beginPersonSecondFactor = endpoint('begin_person_second_factor', 'POST /api/app/2fa', {
  ...PHONE,
  ...BEGIN_SECOND_FACTOR,
  summary: 'Begin to set up an authenticator of a person; shown once',
});

export const confirmPersonSecondFactor = endpoint('confirm_person_second_factor', 'POST /api/app/2fa/confirm', {
  ...PHONE,
  ...CONFIRM_SECOND_FACTOR,
  summary: 'Switch the second factor of a person on with a first code; answers the backup codes, once',
});

export const renewPersonBackupCodes = endpoint('renew_person_backup_codes', 'POST /api/app/2fa/backup-codes', {
  ...PHONE,
  ...RENEW_BACKUP_CODES,
  summary: 'Make new backup codes of a person; the old ones count no more',
});

export const endPersonSecondFactor = endpoint('end_person_second_factor', 'POST /api/app/2fa/disable', {
  ...PHONE,
  ...END_SECOND_FACTOR,
  summary: 'Switch the second factor of a person off',
});

export const listPersonTrustedBrowsers = endpoint('list_person_trusted_browsers', 'GET /api/app/2fa/trusted-browsers', {
  ...PHONE,
  ...LIST_TRUSTED_BROWSERS,
  summary: 'Browsers of a person that may skip the second factor',
});

export const forgetPersonTrustedBrowser = endpoint('forget_person_trusted_browser', 'DELETE /api/app/2fa/trusted-browsers/{deviceId}', {
  ...PHONE,
  ...FORGET_TRUSTED_BROWSER,
  summary: 'Trust a browser of a person no more',
});
