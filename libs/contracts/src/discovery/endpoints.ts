import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { RawFile } from '../core/file.ts';

/** What anyone may call, at the front door. */
const PUBLIC = { tag: 'access', at: ['front-door'], callers: ['anyone'] } as const;

export const health = endpoint({
  ...PUBLIC,
  name: 'health',
  method: 'GET',
  path: '/api/health',
  spec: 'D1-4.1',
  summary: 'Whether the front door answers',
  status: 200,
  result: z.object({ status: z.literal('ok') }),
  refusals: [],
});

export const openapiDocument = endpoint({
  ...PUBLIC,
  name: 'openapi_document',
  method: 'GET',
  path: '/openapi.json',
  spec: 'D1-4.1',
  summary: 'This API as an OpenAPI 3.1 document',
  status: 200,
  result: z.looseObject({ openapi: z.string() }),
  refusals: [],
});

export const apiExplorer = endpoint({
  ...PUBLIC,
  name: 'api_explorer',
  method: 'GET',
  path: '/docs',
  spec: 'D1-4.1',
  summary: 'Swagger UI of this API',
  status: 200,
  result: RawFile,
  produces: 'bytes',
  refusals: [],
});

/** The page's own files; any other name is no file of ours. */
export const apiExplorerFile = endpoint({
  ...PUBLIC,
  name: 'api_explorer_file',
  method: 'GET',
  path: '/docs/{asset}',
  spec: 'D1-4.1',
  summary: 'A file of the Swagger UI',
  params: z.object({ asset: z.enum(['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'], fails('request.not_found')) }),
  status: 200,
  result: RawFile,
  produces: 'bytes',
  refusals: [],
});
