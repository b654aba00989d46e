import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

export const whoami = endpoint({
  name: 'whoami',
  method: 'GET',
  path: '/api/company-data/whoami',
  at: ['region'],
  spec: 'D1-4.2',
  summary: 'The company and the service behind the token',
  callers: ['service'],
  status: 200,
  result: z.object({ company_user_id: z.string(), service_id: z.string() }),
  refusals: ['auth.token_invalid', 'auth.client_endpoint_forbidden', 'region.rebase_required'],
});
