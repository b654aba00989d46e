import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { RawFile } from '../core/file.ts';

/** Routes of the front door that anyone may call. */
const PUBLIC = { tag: 'access', at: ['front-door'], callers: ['anyone'] } as const;

/** The addresses that a caller needs first. @gap D1-4.1 */
const FrontPage = z.object({
  name: z.string(),
  description: z.string(),
  documentation: z.url(),
  openapi: z.url(),
  token_endpoint: z.url(),
  regions: z.url(),
  health: z.url(),
});

/** The root of the front door: a page for a browser, the same in JSON for a program. @gap D1-4.1 */
export const frontPage = endpoint('front_page', 'GET /', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'What this is, and where to go',
  description:
    'The name of the service and the addresses one needs first: the API document and its page, the token endpoint, the regions. ' +
    'A browser gets a page with links, everybody else JSON or XML.',
  result: z.union([FrontPage, RawFile]),
  produces: 'bytes',
  isOwnPage: true,
});

export const health = endpoint('health', 'GET /api/health', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'Whether the front door answers',
  description:
    'Answers when the front door can be reached. It looks at nothing behind it; who operates the platform reads the health ' +
    'addresses of the processes instead.',
  result: z.object({ status: z.literal('ok') }),
});

export const openapiDocument = endpoint('openapi_document', 'GET /openapi.json', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'This API as an OpenAPI 3.1 document',
  description:
    'This document. It describes what is served at the front door and in the regions, in one piece; each operation names the bases ' +
    'that serve it.',
  result: z.looseObject({ openapi: z.string() }),
});

export const apiExplorer = endpoint('api_explorer', 'GET /docs', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'Swagger UI of this API',
  description:
    'A page to read this document and to try its operations. Get a token with `issue_token`, give it to "Authorize", and choose ' +
    'the server of your home region.',
  result: RawFile,
  produces: 'bytes',
  isOwnPage: true,
});

/** The files of the API explorer. Any other name is not found. */
export const apiExplorerFile = endpoint('api_explorer_file', 'GET /docs/{asset}', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'A file of the Swagger UI',
  description: 'A style sheet or script of the API explorer. Any other name is not found.',
  params: z.object({
    asset: z.enum(['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'], fails('request.not_found')).describe('The name of the file'),
  }),
  result: RawFile,
  produces: 'bytes',
  isOwnPage: true,
});
