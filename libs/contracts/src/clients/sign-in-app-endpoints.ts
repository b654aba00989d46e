import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Nothing, page, Paging } from '../core/page.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { idOr } from '../core/text.ts';
import { NewOauthApp, OauthApp, OauthAppChange, RotatedSecret, SecretOnce, SecretRotation } from './shapes.ts';

const APPS = { tag: 'sign-in apps', at: ['region'], spec: 'D1-4.6', callers: ['account', 'portal'] } as const;
const ofApp = z.object({ id: idOr('oauth_apps.not_found').describe('The id of a sign-in app') });

export const createOauthApp = endpoint({
  ...APPS,
  name: 'create_oauth_app',
  method: 'POST',
  path: '/api/account/oauth-apps',
  summary: 'Create a sign-in app; its secret is shown once',
  description:
    'Creates an app that lets people sign in with their account. The secret is in this answer alone. Claims arrive encrypted ' +
    'unless `claims_delivery` says otherwise. A company has at most 25 apps.',
  body: NewOauthApp,
  status: 201,
  result: OauthApp.extend({ client_secret: z.string() }),
  refusals: [...WRITES, 'request.invalid', 'oauth_apps.redirect_uri_invalid', 'oauth_apps.claim_config_plugin_invalid'],
});

export const listOauthApps = endpoint({
  ...APPS,
  name: 'list_oauth_apps',
  method: 'GET',
  path: '/api/account/oauth-apps',
  summary: "The company's sign-in apps",
  description: 'The sign-in apps of the company, in pages, without secrets.',
  query: Paging,
  status: 200,
  result: page(OauthApp),
  refusals: [...AUTHENTICATED, 'request.invalid'],
});

/** @gap D1-4.6 */
export const readOauthApp = endpoint({
  ...APPS,
  name: 'read_oauth_app',
  method: 'GET',
  path: '/api/account/oauth-apps/{id}',
  summary: 'One sign-in app of the company, without its secret',
  description: 'One sign-in app of the company, with its redirect URIs and claims, and without its secret.',
  params: ofApp,
  status: 200,
  result: OauthApp,
  refusals: [...AUTHENTICATED, 'oauth_apps.not_found'],
});

export const changeOauthApp = endpoint({
  ...APPS,
  name: 'change_oauth_app',
  method: 'PUT',
  path: '/api/account/oauth-apps/{id}',
  summary: 'Replace the redirect URIs of a sign-in app, which are matched exactly; audit-logged',
  description:
    'Replaces all addresses that the app may be sent back to. They are compared character by character, so leave none out. A name, ' +
    'a delivery and claims that are left out stay as they are. The change is in the audit log.',
  params: ofApp,
  body: OauthAppChange,
  status: 200,
  result: OauthApp,
  refusals: [
    ...WRITES,
    'request.invalid',
    'oauth_apps.not_found',
    'oauth_apps.redirect_uri_invalid',
    'oauth_apps.claim_config_plugin_invalid',
  ],
});

/** @gap D1-4.6 */
export const deleteOauthApp = endpoint({
  ...APPS,
  name: 'delete_oauth_app',
  method: 'DELETE',
  path: '/api/account/oauth-apps/{id}',
  summary: 'Delete a sign-in app',
  description: 'Deletes the app. Nobody can sign in with it any more.',
  params: ofApp,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'oauth_apps.not_found'],
});

/** @gap D1-4.6 */
export const regenerateOauthAppSecret = endpoint({
  ...APPS,
  name: 'regenerate_oauth_app_secret',
  method: 'POST',
  path: '/api/account/oauth-apps/{id}/regenerate-secret',
  summary: 'Make a new secret for a sign-in app, shown once; the old one ends at once',
  description:
    'Makes a new secret, shown in this answer alone. The old one and all that was begun with it stop working at once. To deploy a new ' +
    'secret without a pause, rotate it.',
  params: ofApp,
  status: 200,
  result: SecretOnce,
  refusals: [...WRITES, 'oauth_apps.not_found'],
});

/** @gap D1-4.6 */
export const rotateOauthAppSecret = endpoint({
  ...APPS,
  name: 'rotate_oauth_app_secret',
  method: 'POST',
  path: '/api/account/oauth-apps/{id}/rotate-secret',
  summary: 'Make a new secret for a sign-in app, shown once, beside the old one, which goes on for some hours',
  description:
    'Makes a new secret, shown in this answer alone. The old one works for `keep_old_hours` more (24 unless you say), so that you can ' +
    'deploy the new one meanwhile; end it before with `end-old-secret`. Of two secrets that are good already, the older ends now.',
  params: ofApp,
  body: SecretRotation,
  status: 200,
  result: RotatedSecret,
  refusals: [...WRITES, 'request.invalid', 'oauth_apps.not_found'],
});

/** @gap D1-4.6 */
export const endOldOauthAppSecret = endpoint({
  ...APPS,
  name: 'end_old_oauth_app_secret',
  method: 'POST',
  path: '/api/account/oauth-apps/{id}/end-old-secret',
  summary: 'End the old secret of a sign-in app now, which was to go on for a while',
  description:
    'Ends the old one of two secrets before its time, with all that was begun with either. With one secret alone nothing changes, so ' +
    'the call may be repeated.',
  params: ofApp,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'oauth_apps.not_found'],
});
