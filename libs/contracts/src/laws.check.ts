import { ENDPOINTS } from './endpoints.ts';
import type { Endpoint } from './core/endpoint.ts';

/** Returns the names of the endpoints for which a condition holds. */
export const names = (holds: (endpoint: Endpoint) => boolean): string[] => ENDPOINTS.filter(holds).map(({ name }) => name);

/** Returns the keys that a list has twice. */
export const twice = (keys: readonly string[]): string[] => keys.filter((key, i) => keys.indexOf(key) !== i);

/** Whether an endpoint is one of OAuth, which has its own errors for a malformed request and ignores unknown parameters. */
export const isOauth = ({ path }: Endpoint): boolean => path.startsWith('/oauth2/');
