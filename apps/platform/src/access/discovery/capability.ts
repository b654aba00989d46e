import type { Capability } from '../../kit/capability.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { TOKENS } from '../tokens/index.ts';
import { ApiDocumentHttp } from './api-document.http.ts';
import { DiscoveryHttp } from './discovery.http.ts';

/** The public pages of the front door: the front page, the API document, the API explorer and the metadata. @spec D1-4.1 */
export const DISCOVERY: Capability = {
  name: 'discovery',
  uses: [REGIONS, TOKENS],
  parts: { 'front-door': { http: [DiscoveryHttp, ApiDocumentHttp] } },
};
