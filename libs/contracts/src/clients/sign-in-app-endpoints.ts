import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { page, Paging } from '../core/page.ts';
import { idOr } from '../core/text.ts';
import { NewOauthApp, OauthApp, OauthAppChange, RotatedSecret, SecretOnce, SecretRotation } from './shapes.ts';

const APPS = { tag: 'sign-in apps', at: ['region'], spec: 'D1-4.6', callers: ['account', 'portal'] } as const;
const ofApp = z.object({ id: idOr('oauth_apps.not_found').describe('The id of a sign-in app') });
const OF_APP = { ...APPS, params: ofApp } as const;

export const createOauthApp = endpoint('create_oauth_app', 'POST /api/account/oauth-apps', {
  ...APPS,
  summary: 'Create a sign-in app; its secret is shown once',
  description:
    'Creates an app that lets people sign in with their account. The secret is in this answer alone. Claims arrive encrypted ' +
    'unless `claims_delivery` says otherwise. A company has at most 25 apps.',
  body: NewOauthApp,
  status: 201,
  result: OauthApp.extend({ client_secret: z.string() }),
  refusals: ['request.invalid', 'oauth_apps.redirect_uri_invalid', 'oauth_apps.claim_config_plugin_invalid'],
});

export const listOauthApps = endpoint('list_oauth_apps', 'GET /api/account/oauth-apps', {
  ...APPS,
  summary: "The company's sign-in apps",
  description: 'The sign-in apps of the company, in pages, without secrets.',
  query: Paging,
  result: page(OauthApp),
  refusals: ['request.invalid'],
});

/** @gap D1-4.6 */
export const readOauthApp = endpoint('read_oauth_app', 'GET /api/account/oauth-apps/{id}', {
  ...OF_APP,
  summary: 'One sign-in app of the company, without its secret',
  description: 'One sign-in app of the company, with its redirect URIs and claims, and without its secret.',
  result: OauthApp,
  refusals: ['oauth_apps.not_found'],
});

export const changeOauthApp = endpoint('change_oauth_app', 'PUT /api/account/oauth-apps/{id}', {
  ...OF_APP,
  summary: 'Replace the redirect URIs of a sign-in app, which are matched exactly; audit-logged',
  description:
    'Replaces all addresses that the app may be sent back to. They are compared character by character, so leave none out. A name, ' +
    'a delivery and claims that are left out stay as they are. The change is in the audit log.',
  body: OauthAppChange,
  result: OauthApp,
  refusals: ['request.invalid', 'oauth_apps.not_found', 'oauth_apps.redirect_uri_invalid', 'oauth_apps.claim_config_plugin_invalid'],
});

/** @gap D1-4.6 */
export const deleteOauthApp = endpoint('delete_oauth_app', 'DELETE /api/account/oauth-apps/{id}', {
  ...OF_APP,
  summary: 'Delete a sign-in app',
  description: 'Deletes the app. Nobody can sign in with it any more.',
  refusals: ['oauth_apps.not_found'],
});

/** @gap D1-4.6 */
export const regenerateOauthAppSecret = endpoint('regenerate_oauth_app_secret', 'POST /api/account/oauth-apps/{id}/regenerate-secret', {
  ...OF_APP,
  summary: 'Make a new secret for a sign-in app, shown once; the old one ends at once',
  description:
    'Makes a new secret, shown in this answer alone. The old one and all that was begun with it stop working at once. To deploy a new ' +
    'secret without a pause, rotate it.',
  result: SecretOnce,
  refusals: ['oauth_apps.not_found'],
});

/** @gap D1-4.6 */
export const rotateOauthAppSecret = endpoint('rotate_oauth_app_secret', 'POST /api/account/oauth-apps/{id}/rotate-secret', {
  ...OF_APP,
  summary: 'Make a new secret for a sign-in app, shown once, beside the old one, which goes on for some hours',
  description:
    'Makes a new secret, shown in this answer alone. The old one works for `keep_old_hours` more (24 unless you say), so that you can ' +
    'deploy the new one meanwhile; end it before with `end-old-secret`. Of two secrets that are good already, the older ends now.',
  body: SecretRotation,
  result: RotatedSecret,
  refusals: ['request.invalid', 'oauth_apps.not_found'],
});

/** @gap D1-4.6 */
export const endOldOauthAppSecret = endpoint('end_old_oauth_app_secret', 'POST /api/account/oauth-apps/{id}/end-old-secret', {
  ...OF_APP,
  summary: 'End the old secret of a sign-in app now, which was to go on for a while',
  description:
    'Ends the old one of two secrets before its time, with all that was begun with either. With one secret alone nothing changes, so ' +
    'the call may be repeated.',
  refusals: ['oauth_apps.not_found'],
});
