import type { CatalogueEntry } from './errors/catalogue.ts';
import { OWN_ERRORS } from './errors/own-errors.ts';
import { SPEC_ERRORS } from './errors/spec-errors.ts';

export { OWN_ERRORS, SPEC_ERRORS };

/** Every refusal there is: status and message by key. */
export const ERRORS = { ...SPEC_ERRORS, ...OWN_ERRORS };
export type ErrorKey = keyof typeof ERRORS;

/** Members a refusal carries beside error and error_key; a key absent here carries none. @spec D1-7 @spec D2-7 */
export interface ErrorExtras {
  'region.rebase_required': { api_url: string };
  /** The digest is that of the bytes once served. @spec D1-2.8 */
  'company_data.file_expired': { digest: string; expired_at: string };
  /** Names what uses the plugin. @spec D1-2.11 */
  'plugins.in_use': { in_use: { flows: string[]; request_fields: string[]; claims: string[] } };
  'flows.source_files_invalid': { missing: { source_key: string; for_user_id: string; source_user_id: string }[]; unexpected: string[] };
  /** Recipients: `company` or a user id. */
  'flows.tag_values_stale': { stale: string[] };
  'plugin.key_changed': { public_key: string };
}

/** A key that needs nothing beside itself. */
export type PlainKey = Exclude<ErrorKey, keyof ErrorExtras>;

/** Refusals that any route can answer, so that no endpoint declares them. */
export const ANYWHERE = [
  'request.not_found',
  'request.too_large',
  'request.format_unsupported',
  'request.format_unacceptable',
  'service.unavailable',
] as const satisfies readonly ErrorKey[];

/** Seconds for the Retry-After header. @spec D1-8 */
export const RETRY_AFTER: Partial<Record<ErrorKey, number>> = {
  'db.writes_paused': 30,
  'platform.out_of_order': 300,
  'service.unavailable': 5,
};

export const isErrorKey = (key: unknown): key is ErrorKey => typeof key === 'string' && Object.hasOwn(ERRORS, key);

/** The statuses a key may be answered with, the usual one first. */
export function statusesOf(key: ErrorKey): readonly number[] {
  const [status, , otherStatus]: CatalogueEntry = ERRORS[key];
  return otherStatus === undefined ? [status] : [status, otherStatus];
}
