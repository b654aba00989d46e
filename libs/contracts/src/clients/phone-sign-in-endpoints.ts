import { endpoint } from '../core/endpoint.ts';
import { whole } from '../core/page.ts';
import { idOr } from '../core/text.ts';
import { PluginPass } from '../plugins/shapes.ts';
import { z } from 'zod';
import { SignInValues, WaitingSignIn } from './shapes.ts';

/** What a person answers on the phone when a sign-in app has claims. @gap D1-4.6 */
const PHONE = { tag: 'consumer app', at: ['region'], spec: 'D1-4.6', callers: ['person'] } as const;
const ofSignIn = z.object({ signInId: idOr('sign_ins.not_found').describe('The id of a sign-in, from the list of them') });

export const listSignIns = endpoint('list_sign_ins', 'GET /api/app/sign-ins', {
  ...PHONE,
  summary: 'The sign-ins with apps of companies that wait for an answer',
  description:
    'The sign-ins that were begun with your password and wait for the values that an app asks for, the oldest first. Each waits ten ' +
    'minutes; five wait at most. Show the `digits`, and let the person compare them with those in the browser: somebody else may have ' +
    'begun a sign-in with the password.',
  result: whole(WaitingSignIn),
});

export const approveSignIn = endpoint('approve_sign_in', 'POST /api/app/sign-ins/{signInId}/approve', {
  ...PHONE,
  summary: 'Give an app the values that it asks for, and sign in',
  description:
    'Gives a value for each claim; one that is not `required` may be left out. With `claims_delivery` `encrypted`, seal each value to ' +
    'the `public_key` of the sign-in; with `plaintext`, send it as it is. The company gets the values once.',
  params: ofSignIn,
  body: SignInValues,
  refusals: ['request.invalid', 'sign_ins.not_found', 'sign_ins.values_invalid'],
});

/** Claims of the type plugin are answered through plugins, so a phone that fills them needs a pass. @spec D1-2.5 @gap D1-4.6 */
export const issueSignInPluginPass = endpoint('issue_sign_in_plugin_pass', 'POST /api/app/sign-ins/{signInId}/plugin-pass', {
  ...PHONE,
  summary: 'A pass for the plugins that answer claims of a sign-in',
  description:
    'A short-lived pass for the plugins of the claims, by the slugs of these, with the key to seal questions to. Send it in the body of ' +
    'a call to the forwarder, and write the answer as the value of the claim. Where no claim has a plugin the list is empty; a claim ' +
    'without `specs` cannot be answered now.',
  params: ofSignIn,
  result: PluginPass,
  refusals: ['sign_ins.not_found'],
});

export const denySignIn = endpoint('deny_sign_in', 'POST /api/app/sign-ins/{signInId}/deny', {
  ...PHONE,
  summary: 'Refuse a sign-in with an app',
  description: 'Refuses the sign-in. The app learns that it was refused, and nothing else.',
  params: ofSignIn,
  refusals: ['sign_ins.not_found'],
});
