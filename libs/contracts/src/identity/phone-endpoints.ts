import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Nothing, whole } from '../core/page.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { idOr, Line } from '../core/text.ts';
import { CHANGES_PASSWORD, CONFIRMS_EMAIL, REQUESTS_EMAIL } from './refusals.ts';
import { AccountKeys, Code, DeletionRequested, EmailChangeRequested, NewCredentials, NewEmail, Password, TrustedDevice } from './shapes.ts';

/** Routes that only a phone uses. @gap D1-1 */
const ROUTE = { tag: 'consumer app', at: ['region'], callers: ['person'] } as const;

export const listPhones = endpoint({
  ...ROUTE,
  name: 'list_phones',
  method: 'GET',
  path: '/api/app/trusted-devices',
  spec: 'D1-3.1',
  summary: "The phones a person's cards are pushed to",
  description: 'The phones that cards are pushed to.',
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
  description: 'Registers this phone for cards, and answers the wrapped account key so that the phone can unlock it.',
  body: z.strictObject({ name: Line }),
  status: 201,
  result: z.object({ device: TrustedDevice, keys: AccountKeys }),
  refusals: [...WRITES, 'request.invalid'],
});

export const removePhone = endpoint({
  ...ROUTE,
  name: 'remove_phone',
  method: 'DELETE',
  path: '/api/app/trusted-devices/{deviceId}',
  spec: 'D1-3.1',
  summary: 'Trust a phone no more',
  description: 'Sends no more cards to that phone.',
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
    'the account or to change its address count no more, and a mail tells of the change. Wrong passwords are counted as at sign-in. The ' +
    "person's key stays as it is: its passphrase is another one. If the answer was lost, sign in: with the new password when it was " +
    'changed.',
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
    '`confirm_by`. Nothing changes yet. The answer is the same whether another account has the address; only the mail tells. A newer ' +
    'code takes the place of an older one; five are mailed in a day.',
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
