import { endpoint } from '../core/endpoint.ts';
import { Nothing, whole } from '../core/page.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { idOr } from '../core/text.ts';
import { z } from 'zod';
import { SignInValues, WaitingSignIn } from './shapes.ts';

/** What a person answers on the phone when a sign-in app has claims. @gap D1-4.6 */
const PHONE = { tag: 'consumer app', at: ['region'], spec: 'D1-4.6', callers: ['person'] } as const;
const ofSignIn = z.object({ signInId: idOr('sign_ins.not_found').describe('The id of a sign-in, from the list of them') });

export const listSignIns = endpoint({
  ...PHONE,
  name: 'list_sign_ins',
  method: 'GET',
  path: '/api/app/sign-ins',
  summary: 'The sign-ins with apps of companies that wait for an answer',
  description:
    'The sign-ins that were begun with your password and wait for the values that an app asks for, the oldest first. Each waits ten ' +
    'minutes; five wait at most.',
  status: 200,
  result: whole(WaitingSignIn),
  refusals: AUTHENTICATED,
});

export const approveSignIn = endpoint({
  ...PHONE,
  name: 'approve_sign_in',
  method: 'POST',
  path: '/api/app/sign-ins/{signInId}/approve',
  summary: 'Give an app the values that it asks for, and sign in',
  description:
    'Gives a value for each claim. With `claims_delivery` `encrypted`, seal each value to the `public_key` of the sign-in; with ' +
    '`plaintext`, send it as it is. The company gets the values once.',
  params: ofSignIn,
  body: SignInValues,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'request.invalid', 'sign_ins.not_found', 'sign_ins.values_invalid'],
});

export const denySignIn = endpoint({
  ...PHONE,
  name: 'deny_sign_in',
  method: 'POST',
  path: '/api/app/sign-ins/{signInId}/deny',
  summary: 'Refuse a sign-in with an app',
  description: 'Refuses the sign-in. The app learns that it was refused, and nothing else.',
  params: ofSignIn,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'sign_ins.not_found'],
});
