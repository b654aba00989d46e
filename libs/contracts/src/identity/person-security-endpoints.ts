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

export const changePersonPassword = endpoint({
  ...PHONE,
  ...CHANGE_PASSWORD,
  name: 'change_person_password',
  path: '/api/app/password',
  summary: 'Change the password of a person; every other session ends',
});

export const requestPersonEmailChange = endpoint({
  ...PHONE,
  ...REQUEST_EMAIL_CHANGE,
  name: 'request_person_email_change',
  path: '/api/app/email',
  summary: 'Ask to change the e-mail address of a person; a code is mailed to the new one',
});

export const confirmPersonEmailChange = endpoint({
  ...PHONE,
  ...CONFIRM_EMAIL_CHANGE,
  name: 'confirm_person_email_change',
  path: '/api/app/email/confirm',
  summary: 'Change the e-mail address of a person with the code that was mailed',
});

export const readPersonSecondFactor = endpoint({
  ...PHONE,
  ...READ_SECOND_FACTOR,
  name: 'read_person_second_factor',
  path: '/api/app/2fa',
  summary: 'Whether sign-in asks a person for a second factor',
});

export const beginPersonSecondFactor = endpoint({
  ...PHONE,
  ...BEGIN_SECOND_FACTOR,
  name: 'begin_person_second_factor',
  path: '/api/app/2fa',
  summary: 'Begin to set up an authenticator of a person; shown once',
});

export const confirmPersonSecondFactor = endpoint({
  ...PHONE,
  ...CONFIRM_SECOND_FACTOR,
  name: 'confirm_person_second_factor',
  path: '/api/app/2fa/confirm',
  summary: 'Switch the second factor of a person on with a first code; answers the backup codes, once',
});

export const renewPersonBackupCodes = endpoint({
  ...PHONE,
  ...RENEW_BACKUP_CODES,
  name: 'renew_person_backup_codes',
  path: '/api/app/2fa/backup-codes',
  summary: 'Make new backup codes of a person; the old ones count no more',
});

export const endPersonSecondFactor = endpoint({
  ...PHONE,
  ...END_SECOND_FACTOR,
  name: 'end_person_second_factor',
  path: '/api/app/2fa/disable',
  summary: 'Switch the second factor of a person off',
});

export const listPersonTrustedBrowsers = endpoint({
  ...PHONE,
  ...LIST_TRUSTED_BROWSERS,
  name: 'list_person_trusted_browsers',
  path: '/api/app/2fa/trusted-browsers',
  summary: 'Browsers of a person that may skip the second factor',
});

export const forgetPersonTrustedBrowser = endpoint({
  ...PHONE,
  ...FORGET_TRUSTED_BROWSER,
  name: 'forget_person_trusted_browser',
  path: '/api/app/2fa/trusted-browsers/{deviceId}',
  summary: 'Trust a browser of a person no more',
});
