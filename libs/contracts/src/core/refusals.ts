import type { ErrorKey } from './errors.ts';

/** What every call with a token can be answered, reads included. @spec D1-5 @spec D1-7 */
export const AUTHENTICATED = [
  'auth.token_invalid',
  'auth.client_endpoint_forbidden',
  'region.rebase_required',
  'rate_limit.exceeded',
  'platform.out_of_order',
] as const satisfies readonly ErrorKey[];

/** What every call that saves something can be answered. @spec D1-7 */
export const WRITES = [...AUTHENTICATED, 'db.writes_paused'] as const satisfies readonly ErrorKey[];
