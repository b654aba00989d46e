import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { whole } from '../core/page.ts';
import { idOr, Line } from '../core/text.ts';
import { NEEDS_PASSWORD } from './credentials-parts.ts';
import { AccountKeys, Code, DeletionRequested, PasswordAgain, TrustedDevice } from './shapes.ts';

/** Routes that only a phone uses. @gap D1-1 */
const ROUTE = { tag: 'consumer app', at: ['region'], callers: ['person'] } as const;

export const listPhones = endpoint('list_phones', 'GET /api/app/trusted-devices', {
  ...ROUTE,
  spec: 'D1-3.1',
  summary: "The phones a person's cards are pushed to",
  description:
    'The phones that were registered and are still signed in. A phone is as long in the list as its session lasts; `last_seen_at` is ' +
    'when it last renewed its token.',
  result: whole(TrustedDevice),
});

/** A new phone gets the person's key, which only the person's passphrase opens. @gap D1-5 */
export const addPhone = endpoint('add_phone', 'POST /api/app/trusted-devices', {
  ...ROUTE,
  spec: 'D1-3.1',
  summary: "Trust this phone, and give it the person's encrypted key",
  description:
    'Registers the phone whose token this is, by a name, and answers the wrapped account key so that the phone can unlock it. The phone ' +
    'is bound to its session: a repeated call gives it another name. A phone that signs in anew registers anew.',
  body: z.strictObject({ name: Line }),
  status: 201,
  result: z.object({ device: TrustedDevice, keys: AccountKeys }),
  refusals: ['request.invalid', 'account.too_many_devices'],
});

export const removePhone = endpoint('remove_phone', 'DELETE /api/app/trusted-devices/{deviceId}', {
  ...ROUTE,
  spec: 'D1-3.1',
  summary: 'Trust a phone no more',
  description:
    'Ends the session of that phone: its tokens count no more, its stream of events ends within a second, and it gets no more cards. ' +
    'Keys that it has unlocked are on it still.',
  params: z.object({ deviceId: idOr('account.device_not_found').describe('The id of a phone, from the list of them') }),
  refusals: ['account.device_not_found'],
});

/** The portal is for companies, so a person deletes the account on the phone. @gap D1-5.8 */
export const requestPersonDeletion = endpoint('request_person_deletion', 'POST /api/app/delete-request', {
  ...ROUTE,
  spec: 'D1-5.8',
  summary: 'Ask to delete the account of a person; a code is mailed',
  description:
    'First step of deleting the account: mails a code that must be confirmed before `confirm_by`. Nothing is deleted yet. With a second ' +
    'factor, `code` is needed beside the password. A newer code takes the place of an older one; five are mailed in a day.',
  body: PasswordAgain,
  status: 202,
  result: DeletionRequested,
  refusals: NEEDS_PASSWORD,
});

export const confirmPersonDeletion = endpoint('confirm_person_deletion', 'POST /api/app/confirm-delete', {
  ...ROUTE,
  spec: 'D1-5.8',
  summary: 'Delete the account of a person with the code that was mailed',
  description:
    'Deletes the account with everything in it, when the mailed code is right. It cannot be undone. Every session ends at once and the ' +
    'e-mail address is free again. Connections end as if the person had disconnected, and open challenges are revoked, within seconds or ' +
    'as soon as their region can be reached. After five wrong codes ask for a new one.',
  body: z.strictObject({ code: Code }),
  refusals: ['request.invalid', 'account.code_invalid'],
});
