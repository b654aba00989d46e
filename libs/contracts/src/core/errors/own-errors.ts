import type { Catalogue } from './catalogue.ts';

/** Refusals that the specification does not name: it describes a case without a key, or leaves out the route itself. */

const REQUESTS = {
  /** @gap D1-7 a token that is missing, malformed, expired or revoked */
  'auth.token_invalid': [401, 'The access token is missing, expired or revoked: request a new one at the front door'],
  /** @gap D1-7 a malformed request that no catalogued key covers */
  'request.invalid': [400, 'Malformed request'],
  /** @gap D1-7 a path that is whitelisted but unknown */
  'request.not_found': [404, 'No such route'],
  /** @gap D1-7 */
  'request.too_large': [413, 'The request is larger than this endpoint accepts'],
  /** @gap D1-4 formats are JSON and XML */
  'request.format_unsupported': [415, 'Send application/json or application/xml'],
  /** @gap D1-4 formats are JSON and XML */
  'request.format_unacceptable': [406, 'Accept application/json or application/xml'],
  /** @gap D1-7 its headers or its body took too long to come; nothing was done */
  'request.timeout': [408, 'The request did not come whole in time: send it again'],
  /** @gap D1-8 */
  'rate_limit.exceeded': [429, 'Too many requests: slow down'],
  /** @gap D1-8 */
  'log.not_found': [404, 'The transparency log has no such page: the number of the log is the last part of the origin of its head'],
  /** @gap D1-7 a failure of the platform itself, or of a service it depends on */
  'service.unavailable': [503, 'The service cannot answer now: repeat the call later'],
  /** @gap D1-7 this caller or all callers together send more bytes than the service holds in memory; nothing was read */
  'service.overloaded': [503, 'Too much is being sent at once, and nothing was read of this call: repeat it in a moment'],
} as const satisfies Catalogue;

/** The errors of OAuth, named as in RFC 6749 and related RFCs. @gap D1-4.1 */
const OAUTH = {
  'oauth.invalid_request': [400, 'The token request is malformed'],
  'oauth.invalid_client': [401, 'Unknown client or wrong secret'],
  'oauth.invalid_grant': [400, 'The code or token is unknown, used, expired or not yours: sign in again'],
  'oauth.invalid_dpop_proof': [400, 'The DPoP header holds no proof that fits this request: make a new one'],
  'oauth.unauthorized_client': [400, 'This client may not use this grant: set its redirect_uri first'],
  'oauth.unsupported_grant_type': [400, 'This grant type is not supported'],
  'oauth.unsupported_response_type': [400, 'response_type must be code'],
  'oauth.access_denied': [403, 'Sign-in or consent was refused'],
} as const satisfies Catalogue;

/** @gap D1-5 */
const ACCOUNT = {
  'account.email_invalid': [400, 'email is no e-mail address'],
  'account.email_taken': [409, 'There is already an account with this e-mail address: sign in instead'],
  'account.password_weak': [
    400,
    'The password is shorter than 10 characters, or a known one: choose another, such as several random words',
  ],
  'account.password_wrong': [403, 'The password is wrong'],
  'account.code_invalid': [400, 'The code is wrong or has expired: request a new one'],
  'account.key_invalid': [
    400,
    'Keys must follow the recipe: RSA-2048 as base64 SubjectPublicKeyInfo, wrapped with PBKDF2-SHA256 of 100000 iterations',
  ],
  'account.region_unknown': [400, 'There is no such region: GET /api/regions lists them'],
  'account.in_use': [
    409,
    'The company still has services, account clients or sign-in apps: delete them, then ask again to delete the account',
  ],
  'account.moving': [409, 'The account is already moving, or already lives there'],
  'account.level_required': [403, 'The level of the account does not include this: take a higher level'],
  'account.session_not_found': [404, 'No such session of yours, or it is over'],
  'account.device_not_found': [404, 'No such trusted device'],
  'account.device_required': [403, 'This needs the key of a device of the account: a proof or a statement that is signed with it'],
  'account.too_many_devices': [409, 'There are too many trusted devices already: remove one first'],
  'account.recovery_not_found': [404, 'There is no such recovery copy, or no recovery key yet'],
  'account.recovery_subject_not_found': [
    404,
    'No such client, service, webhook with a signing secret, or sign-in app of this company: check kind and subject_id',
  ],
  'account.recovery_copy_exists': [409, 'There is a copy of this secret already: only a login at the portal replaces it'],
  'account.recovery_key_exists': [
    409,
    'The account already has its recovery key: seal copies to it, or reset it with the password and a mailed code',
  ],
  'account.code_required': [403, 'Enter the code that your authenticator shows, or a backup code'],
  'account.second_factor_state': [409, 'The second factor is already on, already off, or was not begun'],
  'contact_fields.not_found': [404, 'No such field of yours'],
  'contact_fields.type_changed': [409, 'The type of a field never changes: make another field'],
  'contact_data.value_invalid': [400, 'The value does not fit the type of its field'],
  'photos.not_found': [404, 'No such photo'],
  'photos.too_many': [409, 'This profile or service has as many photos as it may have: delete one that nobody needs'],
  'photos.type_unsupported': [400, 'A photo is a JPEG, PNG, WebP, AVIF, HEIC or GIF image, by its bytes and by mime_type'],
  'delegates.not_found': [404, 'No such delegate, or no such grant'],
  'delegates.too_many': [409, 'There are as many delegates or grants as there may be: take one back that nobody needs'],
  'delegates.exists': [409, 'This user is already a delegate'],
  'oauth_apps.not_found': [404, 'No such sign-in app of this company'],
  'sign_ins.not_found': [404, 'No such sign-in waits for you: it was answered, or is older than ten minutes'],
  'sign_ins.values_invalid': [
    400,
    'Give a value for each claim of the sign-in that is required, and no other: sealed to its public_key, or as it is for plaintext',
  ],
  'oauth_apps.redirect_uri_invalid': [
    400,
    'Every redirect URI must be an absolute address of ASCII characters, without a fragment and without a user: https with a plain host ' +
      'name, http on localhost alone, or the scheme of an app, such as com.acme.app',
  ],
} as const satisfies Catalogue;

const SERVICES = {
  /** @gap D1-4.6 owner scope answers 404 */
  'services.not_found': [404, 'No such service of this company'],
  /** @gap D1-2.4 */
  'services.key_invalid': [
    400,
    'Keys must follow the recipe: RSA-2048 as base64 SubjectPublicKeyInfo, wrapped with PBKDF2-SHA256 of 100000 iterations',
  ],
  /** @gap D1-2.4 */
  'services.admin_email_code_invalid': [400, 'The code is wrong or has expired: set the admin e-mail again, and a new one is mailed'],
  /** @gap D1-8 */
  'services.too_many': [409, 'The company has as many services as it may have: delete one that nobody needs, or ask the operator for more'],
  /** @gap D1-4.7 */
  'services.client_not_found': [404, 'The service has no client yet: create it'],
  /** @gap D1-4.7 */
  'services.webhook_not_found': [404, 'No such webhook of this service'],
  /** @gap D1-2.9 */
  'services.webhook_auth_invalid': [400, 'The secrets of the chosen auth_type are missing, or cannot be sent in this way'],
  /** @gap D1-2.9 a token for one host must not be sent to another host by a user who may change the address */
  'services.webhook_credentials_required': [
    400,
    'The address leads to another host, scheme or port: give the credentials of the webhook again, or choose auth_type hmac or none',
  ],
  /** @gap D1-2.6 */
  'services.request_field_invalid': [400, 'A request field has an unknown type, or shares its slug with another'],
} as const satisfies Catalogue;

/** @gap D1-4.7 */
const CUSTOMERS = {
  'keys.not_found': [404, 'Nobody has this share code'],
  /** @gap D1-8 */
  'keys.not_logged': [404, 'The transparency log has no such key of this owner: do not seal to it, and tell the operator'],
  /** @gap D1-8 keys are added to the log after they are stored */
  'keys.not_logged_yet': [409, 'The key is not in the transparency log yet: repeat in some seconds'],
  'company_connections.exists': [409, 'You are already connected to this service'],
  'company_connections.service_not_found': [404, 'There is no such company or service code'],
  'company_connections.values_invalid': [400, 'Answer every mandatory request field once, and none the service does not ask for'],
  'company_connections.request_not_found': [404, 'No such connect request, or it is already answered'],
  'company_connections.request_rejected': [409, 'The person has rejected a request of this service: ask again when Retry-After is over'],
  'company_connections.too_many_requests': [
    429,
    'Many connect requests wait for this person: repeating does not help, wait until some are answered',
  ],
  'company_data.file_not_found': [404, 'There is no file in this place'],
  'documents.not_found': [404, 'No such document'],
  'documents.transition_invalid': [409, 'A document in this status cannot take that step'],
  'documents.file_invalid': [400, 'The file is no usable PDF, or its SHA-256 is not plain_sha256'],
  'documents.seal_failed': [503, 'The document could not be sealed, so nothing was stored: repeat the act'],
} as const satisfies Catalogue;

/** @gap D1-4.5 */
const TWOFA = {
  'twofa.connection_required': [403, 'Connect to the service before you approve its logins'],
  'twofa.not_enrolled': [404, 'Nobody with this share code is enrolled for the service'],
  'twofa.challenge_not_found': [404, 'No such challenge'],
  'twofa.rate_limited': [429, 'Too many challenges for this person, or polls of this challenge: repeat later'],
  'twofa.too_many_pending': [429, 'Too many challenges of this person are open: repeating does not help, wait for their outcome'],
  'twofa.idempotency_conflict': [409, 'This idempotency_key was used with another body: choose a new one'],
  'twofa.challenge_closed': [409, 'The challenge is no longer open'],
} as const satisfies Catalogue;

const FLOWS = {
  /** @gap D2-4.2 */
  'flows.file_not_found': [404, 'The run holds no such file'],
  /** @gap D2-1 */
  'flows.draft_conflict': [409, 'The draft was changed meanwhile: read it again and repeat with the new draft_token'],
  /** @gap D2-1 */
  'flows.template_not_found': [404, 'The flow has no such template'],
  /** @gap D2-1 */
  'flows.template_invalid': [400, 'The file is no usable PDF, and no JPEG, PNG, WebP, AVIF, HEIC or GIF image'],
  /** @gap D2-1 */
  'flows.version_not_found': [404, 'The flow has no such version: list its versions'],
  /** @gap D2-1 an open run reads the files of the version to which it is pinned */
  'flows.in_use': [409, 'Open runs of this flow need it, so it cannot be deleted yet'],
  /** @gap D2-8 */
  'flows.too_many': [409, 'There are as many flows, files or versions as there may be: delete some that nobody needs'],
} as const satisfies Catalogue;

/** Providers that verify values of profiles. @gap D1-2.7 */
const VERIFICATION = {
  'verification.provider_not_found': [404, 'No such verification provider: GET /api/verification/providers lists them'],
  'verification.type_not_offered': [400, 'The provider does not verify fields of this type: its field_types say which it does'],
  'verification.too_many_requests': [409, 'Too many requests for a verification wait: withdraw one first'],
  'verification.request_not_found': [
    404,
    'No open request of this id for you: it was used or withdrawn, its time is over, or it never was',
  ],
  /** Who cannot sign learns nothing else. */
  'verification.signature_refused': [
    403,
    'This is no JWS of the type that the route takes, signed in the last minute by a registered key of a provider, for this base',
  ],
  'verification.attestation_invalid': [400, 'The attestation does not fit the request: read the request, and sign what it says'],
  'verification.value_changed': [409, 'The value was changed or deleted after the request: ask the user for another request'],
  'verification.not_found': [404, 'No verified value has an attestation of this id that you may see'],
} as const satisfies Catalogue;

/** Refusals of the suite's own services on the bus. @gap D1-2.3 */
const SUITE = {
  /** @gap D1-5.6 a 421 or a token answer that leads away from the platform */
  'gateway.host_refused': [502, 'The platform named a host that the gateway sends no token to: an operator lists it in API_HOSTS'],
  /** @gap D1-5.6 once an operator has added the credentials, the same call succeeds */
  'gateway.client_unknown': [404, 'The gateway holds no credentials of this name: an operator adds them to SERVICES or ACCOUNTS'],
  /** @gap D1-7 a platform or a suite that is newer than the caller, or something in front of the platform that is no platform */
  'gateway.refusal_unknown': [400, 'The call was refused for a reason that this version does not know'],
  /** @gap D1-6.4 a recorded delivery that somebody sends again */
  'feed_consumer.event_expired': [410, 'The event is older than the platform keeps events, so this is no delivery of it: drop it'],
  /** @gap D1-6.3 the platform keeps the delivery and repeats it */
  'feed_consumer.spool_full': [503, 'As many events of this service wait to be published as may: repeat the delivery later'],
  /** @gap D2-4.1 */
  'flows.start_conflict': [409, 'This idempotency_key was used to start something else: choose a new one'],
  'flows.name_ambiguous': [409, 'Several published flows of the service have this name: give the id of the one you mean'],
  /** @gap D2-4.2 */
  'flows.turn_answer_invalid': [400, 'The answers do not fit the step: see faults for each member'],
  'flows.turn_not_held': [409, 'You do not hold this turn, or no longer: take it again'],
  'flows.turn_not_found': [404, 'The company has no such turn now'],
  'decryptor.unreadable': [422, 'The value does not open with the key of this service'],
  'decryptor.key_unknown': [404, 'The decryptor holds no key of this service: mount its PEM and passphrase'],
  'decryptor.caller_refused': [403, 'The decryptor does not know you as a reader of this service: an operator names you in its CALLERS'],
} as const satisfies Catalogue;

export const OWN_ERRORS = { ...REQUESTS, ...OAUTH, ...ACCOUNT, ...SERVICES, ...CUSTOMERS, ...TWOFA, ...FLOWS, ...VERIFICATION, ...SUITE };
