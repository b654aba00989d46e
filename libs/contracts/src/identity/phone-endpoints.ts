import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Nothing, whole } from '../core/page.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { idOr, Line } from '../core/text.ts';
import { AccountKeys, TrustedDevice } from './shapes.ts';

/** What only a phone does. @gap D1-1 */
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

/** A new phone is given what only the person's passphrase opens. @gap D1-5 */
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
