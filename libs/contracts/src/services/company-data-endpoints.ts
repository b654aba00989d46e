import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { page, Paging } from '../core/page.ts';
import { AUTHENTICATED } from '../core/refusals.ts';
import { LogEntry, RequestField } from './shapes.ts';

const ROUTE = { tag: 'service data', at: ['region'], callers: ['service'] } as const;

export const whoami = endpoint({
  ...ROUTE,
  name: 'whoami',
  method: 'GET',
  path: '/api/company-data/whoami',
  spec: 'D1-4.2',
  summary: 'The company and the service behind the token',
  status: 200,
  result: z.object({ company_user_id: z.string(), service_id: z.string() }),
  refusals: AUTHENTICATED,
});

export const readRequestFields = endpoint({
  ...ROUTE,
  name: 'read_request_fields',
  method: 'GET',
  path: '/api/company-data/request-fields',
  spec: 'D1-4.7',
  summary: 'What the service asks of its customers',
  status: 200,
  result: z.object({ config_token: z.string(), fields: z.array(RequestField) }),
  refusals: AUTHENTICATED,
});

export const readLogs = endpoint({
  ...ROUTE,
  name: 'read_logs',
  method: 'GET',
  path: '/api/company-data/logs',
  spec: 'D1-4.7',
  summary: 'What happened to the service, newest first',
  query: Paging,
  status: 200,
  result: page(LogEntry),
  refusals: [...AUTHENTICATED, 'request.invalid'],
});
