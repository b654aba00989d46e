import { createHash } from 'node:crypto';
import type { ServiceRow } from './service-row.ts';

/** Returns the opaque token of the state of the request fields, which changes with every publication. @spec D1-4.7 @gap D1-4.7 */
export const configToken = ({ service_id, config_version }: Pick<ServiceRow, 'service_id' | 'config_version'>): string =>
  createHash('sha256').update(`${service_id} ${config_version}`).digest('base64url').slice(0, 22);
