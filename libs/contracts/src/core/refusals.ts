import type { Endpoint } from './endpoint.ts';
import type { ErrorKey } from './errors.ts';

const OF_TOKEN = [
  'auth.token_invalid',
  'auth.client_endpoint_forbidden',
  'region.rebase_required',
  'rate_limit.exceeded',
] as const satisfies readonly ErrorKey[];

/** The refusals that every call with a token can get, reads included. @spec D1-5 @spec D1-7 */
export const AUTHENTICATED = [...OF_TOKEN, 'platform.out_of_order'] as const satisfies readonly ErrorKey[];

/** The refusals that every call that saves something can get. @spec D1-7 */
export const WRITES = [...AUTHENTICATED, 'db.writes_paused'] as const satisfies readonly ErrorKey[];

/** Returns the refusals that an endpoint can answer because of who calls it, where, and whether it saves something. */
export function sharedRefusals({ callers, at, method }: Pick<Endpoint, 'callers' | 'at' | 'method'>): readonly ErrorKey[] {
  if (callers.includes('anyone')) return [];
  if (!at.includes('region')) return OF_TOKEN; // rows of the front door, which do not wait for the state of a region
  return method === 'GET' ? AUTHENTICATED : WRITES;
}
