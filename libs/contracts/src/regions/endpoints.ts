import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { whole } from '../core/page.ts';
import { Region } from '../core/region.ts';

/** Routes of the front door that anyone may call. */
const PUBLIC = { tag: 'access', at: ['front-door'], callers: ['anyone'] } as const;

export const listRegions = endpoint('list_regions', 'GET /api/regions', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'The regions and their bases',
  description: 'Every region with the address of its API. A client does not choose among them: its token response names the one to use.',
  result: whole(z.object({ region: Region, api_url: z.url() })),
});
