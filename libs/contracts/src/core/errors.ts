import type { CatalogueEntry } from './errors/catalogue.ts';
import { OWN_ERRORS } from './errors/own-errors.ts';
import { SPEC_ERRORS } from './errors/spec-errors.ts';

export { OWN_ERRORS, SPEC_ERRORS };

/** Every refusal: status and message by key. */
export const ERRORS = { ...SPEC_ERRORS, ...OWN_ERRORS };
export type ErrorKey = keyof typeof ERRORS;

/** Members a refusal carries beside error and error_key; a key absent here carries none. @spec D1-7 @spec D2-7 */
export interface ErrorExtras {
  'region.rebase_required': { api_url: string };
  /** The digest is that of the bytes that were served before. @spec D1-2.8 */
  'company_data.file_expired': { digest: string; expired_at: string };
  /** Names what uses the plugin. @spec D1-2.11 */
  'plugins.in_use': { in_use: { flows: string[]; request_fields: string[]; claims: string[] } };
  'flows.source_files_invalid': { missing: { source_key: string; for_user_id: string; source_user_id: string }[]; unexpected: string[] };
  /** The recipients: `company` or a user id. */
  'flows.tag_values_stale': { stale: string[] };
  /** The second step of a sign-in, to be sent with the code. Other calls are repeated with the code, and have no step. @gap D1-5.8 */
  'account.code_required': { step?: string | undefined };
  'plugin.key_changed': { public_key: string };
  /** The faults by slug. `next` is about the step as a whole: no edge matches. */
  'flows.turn_answer_invalid': { faults: { slug: string; fault: string }[] };
}

/** A key whose refusal carries no further members. */
export type PlainKey = Exclude<ErrorKey, keyof ErrorExtras>;

/** Refusals that any route can answer, so that no endpoint declares them. */
export const ANYWHERE = [
  'request.not_found',
  'request.too_large',
  'request.format_unsupported',
  'request.format_unacceptable',
  'request.timeout',
  'service.unavailable',
  'service.overloaded',
] as const satisfies readonly ErrorKey[];

/**
 * Whether the same call may be made again. `never`: it is refused again, so change it. `later`: nothing was done, so repeat it as it is.
 * `in_doubt`: it may have taken effect, so repeat only what does no harm twice. `when_mended`: not before an operator has mended something,
 * such as a setting of the service. `when_changed`: not before something about one person has changed, so calls about others go on.
 */
export interface RetryAdvice {
  retry: 'never' | 'later' | 'in_doubt' | 'when_mended' | 'when_changed';
  /** After how many seconds to retry, when the catalogue knows: the Retry-After header. @spec D1-8 */
  seconds?: number;
}

/** The advice for keys that may be repeated. All other keys never may. */
export const RETRY_ADVICE: Partial<Record<ErrorKey, RetryAdvice>> = {
  'db.writes_paused': { retry: 'later', seconds: 30 },
  'platform.out_of_order': { retry: 'later', seconds: 300 },
  'rate_limit.exceeded': { retry: 'later' },
  'request.timeout': { retry: 'later' },
  'service.overloaded': { retry: 'later', seconds: 1 },
  'feed_consumer.spool_full': { retry: 'later', seconds: 5 },
  'twofa.rate_limited': { retry: 'later' },
  'twofa.unavailable': { retry: 'later' },
  'plugin.busy': { retry: 'later' },
  'plugin.rate_limited': { retry: 'later' },
  'plugin.unavailable': { retry: 'later' },
  'documents.seal_failed': { retry: 'later' },
  'keys.not_logged_yet': { retry: 'later' },
  'service.unavailable': { retry: 'in_doubt', seconds: 5 },
  'plugin.not_responding': { retry: 'in_doubt' },
  'twofa.too_many_pending': { retry: 'when_changed' },
  'company_connections.too_many_requests': { retry: 'when_changed' },
  'company_connections.request_rejected': { retry: 'when_changed' },
  'account.level_required': { retry: 'when_mended' },
  'auth.token_invalid': { retry: 'when_mended' },
  'auth.client_endpoint_forbidden': { retry: 'when_mended' },
  'oauth.invalid_client': { retry: 'when_mended' },
  'gateway.client_unknown': { retry: 'when_mended' },
  'gateway.host_refused': { retry: 'when_mended' },
  'decryptor.key_unknown': { retry: 'when_mended' },
  'decryptor.caller_refused': { retry: 'when_mended' },
};

const NEVER: RetryAdvice = { retry: 'never' };

export const retryAdvice = (key: ErrorKey): RetryAdvice => RETRY_ADVICE[key] ?? NEVER;

export const isErrorKey = (key: unknown): key is ErrorKey => typeof key === 'string' && Object.hasOwn(ERRORS, key);

/** Returns the statuses with which a key may be answered, the usual one first. */
export function statusesOf(key: ErrorKey): readonly number[] {
  const [status, , otherStatus]: CatalogueEntry = ERRORS[key];
  return otherStatus === undefined ? [status] : [status, otherStatus];
}
