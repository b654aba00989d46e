import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { expects, fails } from '../core/fails.ts';
import { whole } from '../core/page.ts';
import { idOr, SLUG } from '../core/text.ts';
import { Attestation, ProviderId, RequestedVerification, VerificationProvider, VerificationRequest } from './shapes.ts';

/** The longest JWS that is read. */
const JWS_CHARS = 4096;
const ROUTE = { tag: 'verification', at: ['region'], spec: 'D1-2.7' } as const;
const OWN = { ...ROUTE, callers: ['portal', 'person'] } as const;
/** Routes of providers, which send no token: what they send is signed. */
const OF_PROVIDER = { ...ROUTE, callers: ['anyone'], limit: 'verification' } as const;
const SIGNED = [
  'request.invalid',
  'verification.signature_refused',
  'rate_limit.exceeded',
  'platform.out_of_order',
  'db.writes_paused',
] as const;

const slug = z.string().regex(SLUG, fails('contact_fields.not_found')).describe('The slug of a field of your profile');
const ofField = z.object({ slug });
const ofRequest = z.object({ verificationId: idOr('verification.request_not_found').describe('The id that the user named') });
const jws = z
  .string()
  .max(JWS_CHARS)
  .regex(/^[A-Za-z0-9_.-]+$/, expects('must be a JWS in its compact form'));

export const listVerificationProviders = endpoint('list_verification_providers', 'GET /api/verification/providers', {
  tag: 'verification',
  at: ['front-door'],
  spec: 'D1-2.7',
  callers: ['anyone'],
  summary: 'Who verifies values of profiles, and by which keys',
  description:
    'The providers that the operator registered, with the types of fields that each verifies and its public keys. An attestation counts ' +
    'when a key of this list has signed it: a key that is not in it any more has been revoked.',
  result: whole(VerificationProvider),
  refusals: ['rate_limit.exceeded'],
  limit: 'verification',
});

export const requestVerification = endpoint('request_verification', 'POST /api/contact-data/{slug}/verification-requests', {
  ...OWN,
  summary: 'Agree that a provider verifies a value of your profile',
  description:
    'Makes a request for one value and one provider. Name its `verification_id` and `api_url` to the provider, and show it the value: ' +
    'the platform cannot. The request ends when the provider has used it, when its time is over, or when you edit the value.',
  params: ofField,
  body: z.strictObject({ provider_id: ProviderId }),
  status: 201,
  result: VerificationRequest,
  refusals: [
    'request.invalid',
    'contact_fields.not_found',
    'verification.provider_not_found',
    'verification.type_not_offered',
    'verification.too_many_requests',
  ],
});

export const listVerificationRequests = endpoint('list_verification_requests', 'GET /api/contact-data/{slug}/verification-requests', {
  ...OWN,
  summary: 'The requests for a value of your profile that providers have not used yet',
  description: 'The open requests for one value, the newest first.',
  params: ofField,
  result: whole(VerificationRequest),
  refusals: ['contact_fields.not_found'],
});

export const withdrawVerificationRequest = endpoint(
  'withdraw_verification_request',
  'DELETE /api/contact-data/{slug}/verification-requests/{verificationId}',
  {
    ...OWN,
    summary: 'Withdraw a request before the provider has used it',
    description: 'Deletes an open request. A value that was verified by an earlier one stays verified: edit or delete it to end that.',
    params: ofField.extend({ verificationId: idOr('verification.request_not_found').describe('The id of the request') }),
    refusals: ['contact_fields.not_found', 'verification.request_not_found'],
  },
);

export const readVerificationRequest = endpoint('read_verification_request', 'POST /api/verification/requests/{verificationId}', {
  ...OF_PROVIDER,
  summary: 'Read what a user asked you to verify',
  description:
    'For the provider of the request alone. `proof` is a JWS of the type `codase-verification+jwt` that one of its keys signed, over ' +
    '`iss` (its id), `aud` (the address of this base), `iat`, `act` (`read_request`) and `on` (the id of the request). A proof is good ' +
    'for one minute. The answer has all that the attestation has to name, and not the value.',
  params: ofRequest,
  body: z.strictObject({ proof: jws }),
  result: RequestedVerification,
  refusals: [...SIGNED, 'verification.request_not_found'],
});

export const attestValue = endpoint('attest_value', 'POST /api/verification/requests/{verificationId}/attestation', {
  ...OF_PROVIDER,
  summary: 'Attest the value that a user asked you to verify',
  description:
    'Takes a JWS of the type `codase-attestation+jwt`, signed with a key of the provider, over `iss`, `sub` (the user), `jti` (the id of ' +
    'the request), `iat`, `field_hash`, and the members that the value then shows: `verified_hash`, which is the SHA-256 of ' +
    '`verified_salt` and the value, `verified_salt`, `verified_at`, `verified_expires_at` and `verified_method`. Companies can check it ' +
    'by themselves. ' +
    'A request is used once; the same attestation sent again is answered as before, as long as the value has it.',
  params: ofRequest,
  body: z.strictObject({ attestation: jws }),
  refusals: [
    ...SIGNED,
    'verification.request_not_found',
    'verification.attestation_invalid',
    'verification.type_not_offered',
    'verification.value_changed',
  ],
});

export const revokeAttestation = endpoint('revoke_attestation', 'POST /api/verification/attestations/{verificationId}/revocation', {
  ...OF_PROVIDER,
  summary: 'Revoke an attestation of yours',
  description:
    'For the provider that attested the value. `proof` is as for reading a request, with `revoke_attestation` as `act`. The value is no ' +
    'longer verified, and services with a live copy get `field_updated`. A copy that was shared once is no longer renewed and stays.',
  params: z.object({ verificationId: idOr('verification.not_found').describe('The `verification_id` of the value') }),
  body: z.strictObject({ proof: jws }),
  refusals: [...SIGNED, 'verification.not_found'],
});

/** The value itself has only the members that the specification lists; so the signature has a route of its own. @gap D1-2.7 */
export const readAttestation = endpoint('read_attestation', 'GET /api/company-data/attestations/{verificationId}', {
  ...ROUTE,
  tag: 'service data',
  callers: ['service'],
  summary: 'What the provider signed for a verified value',
  description:
    'The JWS of the provider for a value that is shared with the service, or for an answer of a run, by its `verification_id`. Its ' +
    'signature shows that the provider attested salt, hash and times for this person, whatever the platform says: check it with a key ' +
    'of `GET /api/verification/providers`, or with one that you have from the provider. 404 once the value is no longer verified.',
  params: z.object({ verificationId: idOr('verification.not_found').describe('The `verification_id` of a value') }),
  result: Attestation,
  refusals: ['verification.not_found'],
});
