import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { page, Paging } from '../core/page.ts';
import { LogEntry, RequestField } from './shapes.ts';

const ROUTE = { tag: 'service data', at: ['region'], callers: ['service'] } as const;

export const whoami = endpoint('whoami', 'GET /api/company-data/whoami', {
  ...ROUTE,
  spec: 'D1-4.2',
  summary: 'The company and the service behind the token',
  description: 'Says for which service of which company the token speaks. The cheapest call to see that token and base are right.',
  result: z.object({ company_user_id: z.string(), service_id: z.string() }),
});

export const readRequestFields = endpoint('read_request_fields', 'GET /api/company-data/request-fields', {
  ...ROUTE,
  spec: 'D1-4.7',
  summary: 'What the service asks of its customers',
  description:
    'The rows that a customer of the service is asked for: slug, type, whether it is mandatory, live or shared once. Values of ' +
    'connections are keyed by these slugs.',
  result: z.object({ config_token: z.string(), fields: z.array(RequestField) }),
});

export const readLogs = endpoint('read_logs', 'GET /api/company-data/logs', {
  ...ROUTE,
  spec: 'D1-4.7',
  summary: 'What happened to the service, newest first',
  description:
    'What befell the service: changes of its settings, webhooks that stopped or came back, alerts of backlogs. Newest first; ' +
    'values of persons are never in it.',
  query: Paging,
  result: page(LogEntry),
  refusals: ['request.invalid'],
});
