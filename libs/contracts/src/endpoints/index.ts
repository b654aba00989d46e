import type { Endpoint } from '../endpoint.ts';
import * as access from './access.ts';
import * as companyData from './company-data.ts';

export { access, companyData };

const isEndpoint = (value: unknown): value is Endpoint => typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** Every endpoint there is, declared once and read by the doors, the clients, the gateway, OpenAPI and the matrix. */
export const ENDPOINTS: readonly Endpoint[] = [access, companyData].flatMap((group) => Object.values<unknown>(group).filter(isEndpoint));
