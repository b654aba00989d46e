import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { ofService } from '../core/params.ts';
import { redirectUriOr } from '../core/text.ts';
import { ClientKeys, RegisteredKeys } from './client-keys.ts';
import { RotatedSecret, SecretOnce, SecretRotation, ServiceClient, ServiceClientChange, ServiceClientOnce } from './shapes.ts';

/** A service has at most one data client. @spec D1-2.1 @gap D1-4.7 */
const ROUTE = {
  tag: 'services',
  at: ['region'],
  spec: 'D1-5.1',
  callers: ['account', 'portal'],
  params: ofService,
} as const;
const Redirect = z.strictObject({ redirect_uri: redirectUriOr('account_clients.redirect_uri_invalid').nullish() });

export const createServiceClient = endpoint('create_service_client', 'POST /api/services/{id}/client', {
  ...ROUTE,
  summary: 'Register the data client of a service; its secret is shown once',
  description:
    'Registers the one data client of the service. The secret is in this answer and in no other: store it now. Companies at the ' +
    'level `free` have none: take a higher level first.',
  body: Redirect,
  status: 201,
  result: ServiceClientOnce,
  refusals: [
    'request.invalid',
    'services.not_found',
    'services.client_exists',
    'account_clients.redirect_uri_invalid',
    'account.level_required',
  ],
});

export const readServiceClient = endpoint('read_service_client', 'GET /api/services/{id}/client', {
  ...ROUTE,
  summary: 'The data client of a service, never its secret',
  description: 'The data client of a service. Its secret is never shown again; make a new one if it is lost.',
  result: ServiceClient,
  refusals: ['services.not_found', 'services.client_not_found'],
});

export const changeServiceClient = endpoint('change_service_client', 'PUT /api/services/{id}/client', {
  ...ROUTE,
  summary: 'Change the redirect URI of the data client, and whether its tokens are bound to a key',
  description:
    'Sets or clears the address that the authorization code of this client is sent to. Left out it stays, null clears it. With ' +
    '`dpop_bound_access_tokens` the client gets only tokens that are bound to a key (DPoP, RFC 9449), and its bearer tokens stop working ' +
    'at once: use it where everything that uses the client can do that.',
  body: ServiceClientChange,
  result: ServiceClient,
  refusals: ['request.invalid', 'services.not_found', 'services.client_not_found', 'account_clients.redirect_uri_invalid'],
});

export const deleteServiceClient = endpoint('delete_service_client', 'DELETE /api/services/{id}/client', {
  ...ROUTE,
  summary: 'Delete the data client; its tokens end and its open challenges are revoked',
  description: 'Deletes the data client. Its tokens stop working at once, and open challenges are revoked. A new client has a new id.',
  refusals: ['services.not_found', 'services.client_not_found'],
});

export const regenerateServiceSecret = endpoint('regenerate_service_secret', 'POST /api/services/{id}/client/regenerate-secret', {
  ...ROUTE,
  summary: 'Make a new secret, shown once; all tokens of the client end',
  description:
    'Makes a new secret, shown in this answer alone. The old secret and every token of the client stop working at once, so be ' +
    'ready to deploy it; or rotate it, without a pause.',
  result: SecretOnce,
  refusals: ['services.not_found', 'services.client_not_found'],
});

/** @gap D1-4.6 */
export const rotateServiceSecret = endpoint('rotate_service_secret', 'POST /api/services/{id}/client/rotate-secret', {
  ...ROUTE,
  summary: 'Make a new secret, shown once, beside the old one, which goes on for some hours; tokens stay',
  description:
    'Makes a new secret, shown in this answer alone. The old one works for `keep_old_hours` more (24 unless you say), so that you can ' +
    'deploy the new one meanwhile; end it before with `end-old-secret`. Of two secrets that are good already, the older ends now.',
  body: SecretRotation,
  result: RotatedSecret,
  refusals: ['request.invalid', 'services.not_found', 'services.client_not_found'],
});

/** @gap D1-4.6 */
export const endOldServiceSecret = endpoint('end_old_service_secret', 'POST /api/services/{id}/client/end-old-secret', {
  ...ROUTE,
  summary: 'End the old secret now, which was to go on for a while; all tokens of the client end',
  description:
    'Ends the old one of two secrets before its time. All tokens of the client stop working, since nobody knows which of them came of ' +
    'it. With one secret alone nothing changes, so the call may be repeated.',
  refusals: ['services.not_found', 'services.client_not_found'],
});

/** @gap D1-5.2 */
export const readServiceClientKeys = endpoint('read_service_client_keys', 'GET /api/services/{id}/client/keys', {
  ...ROUTE,
  summary: 'The public keys with which a client signs in',
  description: 'The public keys of the client, and whether it needs one of them: its secret is refused then.',
  result: RegisteredKeys,
  refusals: ['services.not_found', 'services.client_not_found'],
});

/** @gap D1-5.2 */
export const setServiceClientKeys = endpoint('set_service_client_keys', 'PUT /api/services/{id}/client/keys', {
  ...ROUTE,
  summary: 'Replace the public keys with which a client signs in beside its secret, or in its place',
  description:
    'Replaces the public keys with which the client signs in by `private_key_jwt` (RFC 7523), at most four of them: EC P-256, Ed25519 or ' +
    'RSA from 2048 bits, without private parts. With `required` its secret is refused from now on. When a key is removed, or required ' +
    'becomes true, all tokens of the client end. To replace a key without a pause, first add the new one.',
  body: ClientKeys,
  result: RegisteredKeys,
  refusals: ['request.invalid', 'services.not_found', 'services.client_not_found'],
});
