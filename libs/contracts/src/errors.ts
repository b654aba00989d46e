/** Refusals the specification names: one line per row of its error tables. @spec D1-7 @spec D2-7 */
export const SPEC_ERRORS = {
  'auth.client_endpoint_forbidden': [403, 'Client not authorized for this endpoint'],
  'region.rebase_required': [421, 'This request belongs to another base: send it to api_url'],
  'db.writes_paused': [503, 'Saving is paused and nothing was written: repeat the same call later'],
  'platform.out_of_order': [503, 'The region is being rebuilt and the request was not processed: repeat it later'],
} as const satisfies Catalogue;

/** Refusals of our own, where the specification describes a case without naming its key. */
export const OWN_ERRORS = {
  /** @gap D1-7 a token that is missing, malformed, expired or revoked */
  'auth.token_invalid': [401, 'The access token is missing, expired or revoked: request a new one at the front door'],
  /** @gap D1-7 a malformed request that no catalogued key covers */
  'request.invalid': [400, 'Malformed request'],
  /** @gap D1-7 whitelisted but unknown */
  'request.not_found': [404, 'No such route'],
  /** @gap D1-7 */
  'request.too_large': [413, 'The request is larger than this endpoint accepts'],
  /** @gap D1-4 formats are JSON and XML */
  'request.format_unsupported': [415, 'Send application/json or application/xml'],
  /** @gap D1-4 formats are JSON and XML */
  'request.format_unacceptable': [406, 'Accept application/json or application/xml'],
  /** @gap D1-8 */
  'rate_limit.exceeded': [429, 'Too many requests: slow down'],
  /** @gap D1-7 trouble of our own, or of a service we depend on */
  'service.unavailable': [503, 'The service cannot answer now: repeat the call later'],
  /** @gap D1-4.1 RFC 6749 section 5.2 */
  'oauth.invalid_request': [400, 'The token request is malformed'],
  /** @gap D1-4.1 */
  'oauth.invalid_client': [401, 'Unknown client or wrong secret'],
  /** @gap D1-4.1 */
  'oauth.unsupported_grant_type': [400, 'This grant type is not supported'],
} as const satisfies Catalogue;

type Catalogue = Record<string, readonly [status: number, message: string]>;

export const ERRORS = { ...SPEC_ERRORS, ...OWN_ERRORS };
export type ErrorKey = keyof typeof ERRORS;

/** Members a refusal carries beside error and error_key; a key absent here carries none. */
export interface ErrorExtras {
  'region.rebase_required': { api_url: string };
}

/** Seconds for the Retry-After header. @spec D1-8 */
export const RETRY_AFTER: Partial<Record<ErrorKey, number>> = {
  'db.writes_paused': 30,
  'platform.out_of_order': 300,
  'service.unavailable': 5,
};

export const isErrorKey = (key: unknown): key is ErrorKey => typeof key === 'string' && Object.hasOwn(ERRORS, key);
