import { ENDPOINTS } from './endpoints.ts';
import type { Endpoint } from './core/endpoint.ts';

/** The endpoints of which something holds, by name. */
export const names = (holds: (endpoint: Endpoint) => boolean): string[] => ENDPOINTS.filter(holds).map(({ name }) => name);

/** What a list has twice. */
export const twice = (keys: readonly string[]): string[] => keys.filter((key, i) => keys.indexOf(key) !== i);

/** OAuth has its own words for a malformed request, and ignores parameters it does not know. */
export const isOauth = ({ path }: Endpoint): boolean => path.startsWith('/oauth2/');
