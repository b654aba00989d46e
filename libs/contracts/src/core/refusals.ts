import type { ErrorKey } from './errors.ts';

/** The refusals that every call with a token can get, wherever it is served. @spec D1-5 */
export const OF_TOKEN = [
  'auth.token_invalid',
  'auth.client_endpoint_forbidden',
  'region.rebase_required',
  'rate_limit.exceeded',
] as const satisfies readonly ErrorKey[];

/** The refusals that every call with a token can get in a region, reads included. @spec D1-5 @spec D1-7 */
export const AUTHENTICATED = [...OF_TOKEN, 'platform.out_of_order'] as const satisfies readonly ErrorKey[];

/** The refusals that every call that saves something can get in a region. @spec D1-7 */
export const WRITES = [...AUTHENTICATED, 'db.writes_paused'] as const satisfies readonly ErrorKey[];
